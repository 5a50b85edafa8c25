"""The same number of samples for both ways, from invented passages and from a few true cells."""

import pytest

from featlearn.engine import Cell
from featlearn.measures import nuclear_dimension
from featlearn.studies.beyond.matrix_sensing import CONVEX, DESCENT, STUDY, run


def law(places):
    """Errors that fall from 1 to 1e-4 where n passes `places[way]` times δ."""

    def values(p, luck):
        large = p.learner == DESCENT and p.start > 1
        passed = p.n * luck > places[p.learner] * nuclear_dimension(p.d, p.d, p.r)
        return {"error": 1e-4 if passed and not large and p.r < p.d else 1.0}

    return values


def test_two_ways_that_pass_together_are_what_the_claim_says(invent, judged):
    found = judged(STUDY, invent(STUDY, law({CONVEX: 1.0, DESCENT: 1.0})))
    assert found.as_it_should_be
    assert len(found.verdicts("claim")) == 8
    assert len(found.verdicts("control")) == 3


def test_descent_that_needs_twice_as_many_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law({CONVEX: 0.7, DESCENT: 1.4})))
    ratios = {label: v for label, v in found.verdicts("claim").items() if "n* of UVᵀ" in label}
    assert set(ratios.values()) == {"fails"}


def test_a_nuclear_norm_that_passes_elsewhere_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law({CONVEX: 1.4, DESCENT: 1.4})))
    places = {label: v for label, v in found.verdicts("claim").items() if label.endswith("δ")}
    assert set(places.values()) == {"fails"}


def cells(learner, start, ranks=(1,), dim=6):
    return [
        Cell(study="beyond/test", version=1, repetition=i,
             parameters={"learner": learner, "start": start, "d": dim, "r": r, "n": n, "most": 36})
        for r in ranks for n in (10, 34) for i in range(2)
    ]  # fmt: skip


@pytest.mark.parametrize(("learner", "start"), [(CONVEX, 0.0), (DESCENT, 1e-6)])
def test_a_matrix_of_low_rank_is_recovered_from_many_measurements_and_not_from_few(learner, start):
    outcomes = run(cells(learner, start))
    errors = [outcome.values["error"] for outcome in outcomes]
    assert min(errors[:2]) > 0.1 > 0.05 > max(errors[2:])


def test_the_ways_are_given_the_same_matrices():
    """Of full rank and with as many numbers as entries, both find the one that agrees."""
    full = [c for c in cells(CONVEX, 0.0, ranks=(6,)) if c.parameters["n"] == 34][:1]
    again = run(full)[0].values
    assert run(full)[0].values == again
    assert again["error"] > 0.05
