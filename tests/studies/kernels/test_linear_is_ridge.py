"""Differences against rounding, from differences that are known."""

from types import SimpleNamespace

import pytest

from featlearn.studies.kernels.linear_is_ridge import BOUNDS, CLAIMS, CONTROLS, ROUNDING, STUDY


def law(**changes):
    """What should be equal is, to 1e-13; what should not is off by a tenth."""

    def values(p: SimpleNamespace, luck):
        found = dict.fromkeys(CLAIMS[p.compared], 1e-13 * luck)
        found |= dict.fromkeys(CONTROLS[p.compared], 0.1 * luck)
        if p.compared == "path":
            found["same_choice"] = 1.0
        return found | {name: value * luck for name, value in changes.items() if name in found}

    return values


def test_differences_of_rounding_are_what_the_claims_say(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    assert len(found.verdicts("claim")) == sum(map(len, CLAIMS.values())) + 1
    assert len(found.verdicts("control")) == sum(map(len, CONTROLS.values()))


@pytest.mark.parametrize(
    ("column", "label"), [pair for table in CLAIMS.values() for pair in table.items()]
)
def test_a_difference_above_its_bound_fails(invent, judged, column, label):
    bound = BOUNDS.get(column, ROUNDING).value
    assert judged(STUDY, invent(STUDY, law(**{column: 0.5 * bound}))).as_it_should_be
    assert judged(STUDY, invent(STUDY, law(**{column: 2 * bound}))).unexpected == {label}


@pytest.mark.parametrize(
    ("column", "label"), [pair for table in CONTROLS.values() for pair in table.items()]
)
def test_a_control_without_a_difference_is_reported(invent, judged, column, label):
    assert judged(STUDY, invent(STUDY, law(**{column: 1e-12}))).unexpected == {label}


def test_another_choice_of_the_penalty_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(same_choice=0.5)))
    assert found.unexpected == {"the λ chosen is the same by the dual and by the primal"}


def test_cells_that_diverged_are_flagged_and_do_not_count(invent, judged):
    rows = invent(STUDY, law())
    lost = (rows["compared"] == "solvers") & (rows["repetition"] < 2)
    rows.loc[lost, "state"] = "diverged"
    rows.loc[lost, "cholesky"] = 1.0
    found = judged(STUDY, rows)
    assert found.as_it_should_be
    for label in CLAIMS["solvers"].values():
        assert (found[label].flags, found[label].measured.seeds) == (("diverged",), 8)


def test_one_comparison_can_be_asked_for(judged, invent):
    rows = invent(STUDY, law())
    found = judged(STUDY, rows[rows["compared"] == "inputs"])
    assert set(found) == {*CLAIMS["inputs"].values(), *CONTROLS["inputs"].values()}
