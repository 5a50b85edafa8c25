"""Several directions: which are found, and the error against the growth of the bound."""

import numpy as np
import pytest

from featlearn.studies.representations.multi_index import STUDY, bound

LARGEST = "excess L1 over its bound, constants 1, where it is largest"
LOST = "one of 3 directions removed from H: worst direction found"


def size(p):
    """The bound, of a cell."""
    total = p.r**3 * p.kappa**6
    return np.sqrt(p.d * total / p.n) + np.sqrt(total / p.width) + p.n**-0.25


def law(power=0.5, worst=0.95, lost=0.2, excess=0.5):
    """Errors that grow like a power of the bound; `worst` is the share of the last direction."""

    def values(p, luck):
        l1 = 0.1 * (size(p) / 0.197) ** power * luck
        shares = {f"direction_{j + 1}": 0.97 for j in range(p.r)}
        shares[f"direction_{p.r}"] = (lost if p.form == "degenerate" else worst) * luck
        return {"l1": l1, "excess": excess * l1, "rank": float(p.r), "grid_edge": 0.0, **shares}

    return values


def test_directions_that_are_found_are_what_the_claim_says(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    assert found.verdicts("control") == {LOST: "fails"}
    cells = ["r = 1, κ = 1", *(f"r = {r}, κ = {k}" for r in (2, 3, 4) for k in (1, 3))]
    for name in cells:
        assert found[f"{name}: worst direction found"].verdict == "holds"
        assert found[f"{name}: estimated number of directions"].measured.value == float(name[4])
    assert len(found.verdicts("claim")) == 1 + 7 + 6


def test_the_bound_is_that_of_the_document(invent):
    rows = invent(STUDY, law())
    cell = rows[(rows["r"] == 3) & (rows["kappa"] == 3.0)]
    d, n, m = 24, 9216, 512
    expected = np.sqrt(d * 27 * 729 / n) + np.sqrt(27 * 729 / m) + n**-0.25
    assert bound(cell) == pytest.approx(expected, rel=1e-12)


def test_a_direction_that_is_missed_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(worst=0.1)))
    missed = {label for label in found.verdicts("claim") if "worst direction" in label}
    assert found.unexpected == missed


def test_an_error_that_outgrows_the_bound_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(power=1.5, excess=0.01)))
    growth = {label for label in found.verdicts("claim") if "L1 error over" in label}
    assert len(growth) == 6
    assert found.unexpected == growth


def test_an_excess_over_the_bound_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(power=1.0, excess=4.0)))
    assert found[LARGEST].verdict == "fails"
    assert found[LARGEST].measured.value == pytest.approx(0.4 / 0.197, rel=0.1)


def test_a_degenerate_direction_that_is_found_is_reported(invent, judged):
    found = judged(STUDY, invent(STUDY, law(lost=0.9)))
    assert found.unexpected == {LOST}


def test_diverged_cells_are_flagged_and_not_averaged(invent, judged):
    rows = invent(STUDY, law())
    some = (rows["form"] == "multi") & (rows["r"] == 4) & (rows["repetition"] < 2)
    rows.loc[some, "state"] = "diverged"
    rows.loc[some, ["l1", "excess", "direction_4"]] = [1e6, 1e6, 0.0]
    found = judged(STUDY, rows)
    assert found.as_it_should_be
    flagged = {label for label, finding in found.items() if "diverged" in finding.flags}
    assert flagged == {
        f"r = 4, κ = {k}: {what}"
        for k in (1, 3)
        for what in ("L1 error over that of r = κ = 1", "worst direction found")
    }
    assert {found[label].measured.seeds for label in flagged} == {8}
