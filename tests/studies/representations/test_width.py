"""The squared error against the width, while the width limits it."""

import pytest

from featlearn.studies._judging import select
from featlearn.studies.representations.width import STUDY, limited

STILL = "step of size 0: slope of log squared error in log m"


def slope_label(r):
    return f"r = {r}: slope of log squared error in log m, while width limits"


def law(power=1.3, floor=0.0005, still=lambda m: 0.9):
    """rᵖ (m^−power + floor) with a step, `still(m)` without."""

    def values(p, luck):
        error = p.r**3 * (p.width**-power + floor) if p.step else still(p.width)
        return {"risk": error * luck, "grid_edge": 0.0}

    return values


def test_an_error_that_falls_with_the_width_is_what_the_claim_says(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    assert set(found.verdicts("claim")) == {slope_label(1), slope_label(2)}
    assert found.verdicts("control") == {STILL: "fails"}
    assert found[slope_label(1)].measured.value == pytest.approx(-1.25, abs=0.1)
    assert found["r = 2: squared error at m = 512"].verdict == "measured"


def test_an_error_that_falls_slower_than_the_bound_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(power=0.5, floor=0.0)))
    assert set(found.verdicts("claim").values()) == {"fails"}
    assert found[slope_label(2)].measured.value == pytest.approx(-0.5, abs=0.05)


def test_an_error_that_no_width_limits_leaves_the_claim_open(invent, judged):
    found = judged(STUDY, invent(STUDY, law(power=0.0, floor=0.0)))
    assert set(found.verdicts("claim").values()) == {"open"}
    assert found[slope_label(1)].note == "0 of 7 widths are limiting"
    assert found.verdicts("control") == {STILL: "fails"}


def test_random_neurons_that_are_as_good_are_reported(invent, judged):
    found = judged(STUDY, invent(STUDY, law(still=lambda m: 3.0 * m**-1.3)))
    assert found.unexpected == {STILL}


def test_widths_that_samples_limit_do_not_count(invent):
    rows = invent(STUDY, law(floor=0.005))
    few = limited(select(rows[rows["step"] > 0], r=1))
    assert sorted(few["width"].unique()) == [8, 16, 32]


def test_widths_at_which_the_bound_says_nothing_do_not_count(invent, judged):
    rows = invent(STUDY, law())
    few = limited(select(rows, r=2))
    assert few["width"].min() == 16
    assert "4 of 7 widths are limiting" in judged(STUDY, rows)[slope_label(2)].note


def test_the_flags_tell_a_limiting_width_and_a_diverged_cell(invent, judged):
    rows = invent(STUDY, law())
    some = (rows["r"] == 2) & (rows["repetition"] == 0)
    rows.loc[some, "state"] = "diverged"
    rows.loc[some, "risk"] = float("nan")
    found = judged(STUDY, rows)
    assert found.as_it_should_be
    assert found[slope_label(1)].flags == ("width-limited",)
    assert found[slope_label(2)].flags == ("diverged", "width-limited")
    assert found[slope_label(2)].measured.seeds == 9
    assert found[STILL].flags == ("width-limited",)
