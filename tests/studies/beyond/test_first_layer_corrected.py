"""Errors against F, alone and together, from invented numbers."""

import pytest

from featlearn.studies.beyond._experiment import watched_epochs
from featlearn.studies.beyond.first_layer_corrected import STUDY


def law(alone=0.5, together=0.2, away=1.3):
    def values(p, luck):
        share = alone if p.learner == "two-layer" else alone * away if p.apart else together
        error = 0.72 * share * luck
        curve = {f"base_at_{e}": error for e in watched_epochs(vars(p))}
        return {"risk": 1.0, "validation": 1.0, "base_error": error, "base_left": error, **curve}

    return values


def test_what_the_documents_say_holds(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    ratio = found["together over alone: error against F"].measured
    assert ratio.value == pytest.approx(0.4, rel=0.15)


@pytest.mark.parametrize("wrong", [{"together": 0.8}, {"alone": 1.5}, {"away": 0.5}])
def test_what_is_otherwise_is_found(wrong, invent, judged):
    assert judged(STUDY, invent(STUDY, law(**wrong))).unexpected


def test_the_figure_is_drawn(invent):
    assert STUDY.figure(invent(STUDY, law())) is not None
