"""The excess of the L1 error over the noise, as n grows."""

import pytest

from featlearn.studies.representations.noise_floor import STUDY

SLOPE = "ζ = {}: slope of log excess L1 in log n"
LAST = "ζ = {}: excess L1 at n = 16384"


def law(good=lambda n: 2 * n**-0.6, other=lambda n: 0.5):
    """The excess with the symmetric start, and with the other one."""

    def values(p, luck):
        excess = (good if p.learner == "one step" else other)(p.n)
        return {"excess": excess * luck, "risk": 0.1, "grid_edge": 0.0}

    return values


def test_an_excess_that_vanishes_is_what_the_claim_says(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    names = [name.format(noise) for name in (SLOPE, LAST) for noise in ("0.5", "1")]
    assert set(found.verdicts("claim")) == set(names)
    assert set(found.verdicts("control")) == {f"non-symmetric start, {name}" for name in names}
    assert found[SLOPE.format("1")].measured.value == pytest.approx(-0.6, abs=0.03)


def test_an_excess_that_stays_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(good=lambda n: 0.1)))
    assert set(found.verdicts("claim").values()) == {"fails"}


def test_an_excess_that_falls_too_slowly_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(good=lambda n: 0.04 * n**-0.1)))
    assert found.unexpected == {SLOPE.format("0.5"), SLOPE.format("1")}


def test_a_start_that_needs_no_symmetry_is_reported(invent, judged):
    found = judged(STUDY, invent(STUDY, law(other=lambda n: 2 * n**-0.6)))
    assert found.unexpected == set(found.verdicts("control"))


def test_an_excess_of_exactly_0_is_flagged_and_still_judged(invent, judged):
    rows = invent(STUDY, law())
    rows.loc[(rows["learner"] == "one step") & (rows["n"] > 8000), "excess"] = 0.0
    found = judged(STUDY, rows)
    assert found.as_it_should_be
    flagged = {label for label, finding in found.items() if "noise-floor" in finding.flags}
    assert flagged == {SLOPE.format("0.5"), SLOPE.format("1")}


def test_diverged_cells_are_flagged_and_not_averaged(invent, judged):
    rows = invent(STUDY, law())
    some = (rows["noise"] == 1.0) & (rows["learner"] == "one step") & (rows["repetition"] < 4)
    rows.loc[some, "state"] = "diverged"
    rows.loc[some, "excess"] = 1e6
    found = judged(STUDY, rows)
    assert found.as_it_should_be
    assert found[SLOPE.format("1")].flags == ("diverged",)
    assert found[SLOPE.format("0.5")].flags == ()
    assert found[LAST.format("1")].measured.seeds == 6
