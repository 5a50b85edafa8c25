"""The claim from invented searches, and a small parity that descent does find."""

import pytest

from featlearn.engine import Cell
from featlearn.studies.beyond.minimal_norm import BY_HAND, DESCENT, STUDY, chosen, run


def law(norm=10.4, many=1.0, few=0.02):
    """Errors at the best learning rate, and twice as much elsewhere."""

    def values(p, luck):
        if p.learner == BY_HAND:
            return {"norm": norm, "path_norm": 24.5, "risk": 0.0}
        best = (few if p.k == 2 else many) * luck * (1 if p.rate == 0.03 else 2)
        return {"risk": best, "validation": best, "training": 0.0, "norm": 1.0, "path_norm": 2.0}

    return values


def test_what_the_document_says_holds(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    assert (len(found.verdicts("claim")), len(found.verdicts("control"))) == (4, 2)


def test_descent_that_finds_six_factors_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(many=0.1)))
    assert found.verdicts("claim")["SGD, m = 64: squared error"] == "fails"


def test_descent_that_does_not_find_two_factors_is_reported(invent, judged):
    found = judged(STUDY, invent(STUDY, law(few=1.0)))
    assert len(found.unexpected) == 2


def test_a_large_norm_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(norm=15.0)))
    assert found.verdicts("claim")["by hand: norm / √d"] == "fails"


def test_settings_are_chosen_by_validation_and_never_when_they_diverged(invent):
    rows = invent(STUDY, law())
    rows = rows[rows["learner"] == DESCENT]
    assert set(chosen(rows)["rate"]) == {0.03}
    assert len(chosen(rows)) == 2 * 2 * 5
    rows.loc[rows["rate"] == 0.03, "state"] = "diverged"
    assert 0.03 not in set(chosen(rows)["rate"])


def parity_cell(learner=DESCENT, rate=0.1, k=2):
    parameters = {"learner": learner, "d": 6, "k": k, "n": 200, "epochs": 25, "width": 16,
                  "rate": rate, "decay": 0.0, "draws": 64}  # fmt: skip
    return Cell(study="beyond/test", version=1, repetition=0, parameters=parameters)


def test_descent_learns_a_product_of_two_and_diverges_from_a_huge_rate():
    learned, diverged = run([parity_cell(), parity_cell(rate=1e4)])
    assert learned.state == "done"
    assert learned.values["risk"] < 0.1
    assert 0 < learned.values["norm"] < learned.values["path_norm"]
    assert diverged.state == "diverged"


def test_the_network_by_hand_has_no_error():
    (outcome,) = run([parity_cell(BY_HAND, k=4)])
    assert outcome.values["risk"] < 1e-9
    assert outcome.values["norm"] == pytest.approx((4 * 10) ** 0.5)
