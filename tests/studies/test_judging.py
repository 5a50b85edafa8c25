"""From rows to numbers: crossings, growth, medians, flags."""

import numpy as np
import pandas as pd
import pytest

from featlearn import measures
from featlearn.studies import _judging


def power_law(exponent, level=0.25, sizes=(8, 16, 32), seeds=4):
    """Rows of error curves that are at `level` where n = 3 d^exponent, for every seed."""
    return pd.DataFrame(
        [
            {"d": d, "n": n, "risk": level * 3 * d**exponent / n, "repetition": seed,
             "state": "done"}
            for d in sizes
            for n in (0.5 * d**exponent, 2 * d**exponent, 5 * d**exponent, 20 * d**exponent)
            for seed in range(seeds)
        ]
    )  # fmt: skip


def test_growth_of_an_exact_power_law_is_its_exponent():
    found = _judging.growth(power_law(1.7), 0.25)
    assert found.sizes == [8.0, 16.0, 32.0]
    assert found.slope.value == pytest.approx(1.7, abs=1e-9)
    assert (found.slope.low, found.slope.high) == pytest.approx((1.7, 1.7), abs=1e-9)
    for d in found.sizes:
        assert found.thresholds[d] == pytest.approx([3 * d**1.7] * 4)
        assert list(found.sides[d]) == [""] * 4


def test_curves_that_never_come_down_only_bound_the_growth():
    rows = power_law(1.7)
    rows.loc[rows["d"] == 32, "risk"] = 1.0
    found = _judging.growth(rows, 0.25)
    assert list(found.sides[32.0]) == ["above"] * 4
    assert found.thresholds[32.0] == [20 * 32**1.7] * 4
    assert found.slope.value > 1.7 + 0.1


def test_a_median_over_curves_that_never_come_down_is_infinite():
    never, early = measures.Crossing(500.0, "above"), measures.Crossing(200.0)
    assert _judging.median_crossing([never, never, early], 100.0).value == np.inf
    found = _judging.median_crossing([never, early, early], 100.0)
    assert (found.value, found.low, found.high) == (2.0, 2.0, np.inf)


def test_a_decay_has_the_exponent_of_its_error():
    rows = power_law(1.0).assign(error=lambda rows: 7 * rows["n"] ** -1.3)
    found = _judging.decay(rows, "n", "error")
    assert found.value == pytest.approx(-1.3, abs=1e-9)


def test_only_cells_that_are_done_count():
    rows = power_law(1.0)
    rows.loc[rows["repetition"] == 0, ["state", "risk"]] = ["diverged", 1e9]
    last = _judging.select(rows, d=8, n=160.0)
    found = _judging.median(last, "risk")
    assert (found.value, found.seeds) == (pytest.approx(0.25 * 3 / 20), 3)
    assert _judging.decay(_judging.select(rows, d=8), "n", "risk").seeds == 3


def test_rows_are_selected_by_every_parameter():
    rows = power_law(1.0)
    assert len(_judging.select(rows, d=8, repetition=2)) == 4
    assert [*_judging.by(rows.iloc[::-1], "d")] == [8.0, 16.0, 32.0]


@pytest.mark.parametrize(
    ("changes", "flags"),
    [
        ({}, ()),
        ({"state": ["done", "failed", "done", "done"]}, ("diverged",)),
        ({"grid_edge": [1.0, -1.0, 1.0, 0.0]}, ("grid edge",)),
        ({"grid_edge": [1.0, -1.0, 0.0, 0.0]}, ()),
        ({"grid_edge": 1.0, "state": "diverged"}, ("diverged", "grid edge")),
    ],
)
def test_flags(changes, flags):
    cells = pd.DataFrame({"state": ["done"] * 4, "grid_edge": 0.0}).assign(**changes)
    assert _judging.flags_of(cells) == flags


def test_cells_without_a_head_have_no_grid_to_be_at_the_edge_of():
    assert _judging.flags_of(pd.DataFrame({"state": ["done", "done"]})) == ()
