"""Where in β the composite signal is lost, from invented errors."""

import numpy as np
import pytest

from featlearn.studies.beyond.sensitivity import STUDY, passing

LABEL = "β at which the error passes kα²/2, over α"


def law(half=0.25, away=1.5, slope=40.0):
    """Error over kα² falls from 1 to 0.1 around β = half."""

    def values(p, luck):
        share = away if p.apart else 0.1 + 0.9 / (1 + np.exp(slope * (p.beta - half)))
        return {"risk": 0.72 * share * luck, "validation": share}

    return values


def test_what_the_documents_say_holds(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    assert 0.2 / 0.3 < found[LABEL].measured.value < 1.0


@pytest.mark.parametrize("wrong", [{"half": -1.0}, {"half": 2.0}, {"away": 0.2}])
def test_what_is_otherwise_is_found(wrong, invent, judged):
    assert judged(STUDY, invent(STUDY, law(**wrong))).unexpected


def test_the_passage_is_interpolated(invent):
    rows = invent(STUDY, lambda p, luck: {"risk": 0.72 * (1 - p.beta), "validation": 1.0})
    rows = rows[~rows["apart"]].drop_duplicates(["beta", "repetition"])
    assert passing(rows, 0.72, 0.3).value == pytest.approx(0.5 / 0.3)


def test_the_figure_is_drawn(invent):
    assert STUDY.figure(invent(STUDY, law())) is not None
