"""Thresholds against size: medians, censored seeds, fitted lines, guides."""

import numpy as np
import pytest

from featlearn.claims import Measured
from featlearn.errors import InvalidInputError
from featlearn.report.figures import new_figure, slope_panel
from featlearn.report.figures._palette import PAPER

SIZES = [8, 16, 32, 64]


def _thresholds(power, scale=2.0):
    spread = np.array([0.8, 0.9, 1.0, 1.2, 1.3])
    return {d: scale * d**power * spread for d in SIZES}


def _medians(ax):
    (line,) = [line for line in ax.lines if line.get_label() == "_medians"]
    return line


def test_medians_and_fit_pass_through_a_power_law():
    _, (ax,) = new_figure()
    slope_panel(ax, SIZES, _thresholds(1.5), slope=Measured(1.5, 1.4, 1.6, 5))
    d = np.array(SIZES, float)
    np.testing.assert_allclose(_medians(ax).get_ydata(), 2 * d**1.5)
    (fit,) = [line for line in ax.lines if len(line.get_xdata()) == 33]
    np.testing.assert_allclose(fit.get_ydata(), 2 * np.asarray(fit.get_xdata()) ** 1.5)
    band = ax.collections[0].get_paths()[0].get_extents()
    middle = np.exp(np.mean(np.log(d)))
    assert band.y1 == pytest.approx(2 * middle**1.5 * (64 / middle) ** 1.6)


def test_guides_begin_at_the_first_median():
    _, (ax,) = new_figure()
    slope_panel(ax, SIZES, _thresholds(1.5), references={"d²": 2.0})
    (guide,) = [line for line in ax.lines if len(line.get_xdata()) == 2]
    start = 2 * 8**1.5
    np.testing.assert_allclose(guide.get_xdata(), [8, 64])
    np.testing.assert_allclose(guide.get_ydata(), [start, start * 64])


def test_censored_seeds_are_open_triangles_and_no_median():
    flags = {d: np.zeros(5, bool) for d in SIZES}
    flags[32][3:] = True  # above the median, which stays known
    flags[64][:] = True
    _, (ax,) = new_figure()
    slope_panel(ax, SIZES, _thresholds(1.5), flags)
    up = [line for line in ax.lines if line.get_marker() == "^"]
    assert sorted(len(line.get_xdata()) for line in up) == [2, 5]
    assert all(line.get_markerfacecolor() == PAPER for line in up)
    known = np.isfinite(_medians(ax).get_ydata())
    assert known.tolist() == [True, True, True, False]


def test_a_bound_on_the_wrong_side_makes_the_median_unknown():
    flags = {d: ["", "", "", "", ""] for d in SIZES}
    flags[8] = ["above", "", "", "", ""]  # the smallest may lie above the median
    flags[16] = ["below", "", "", "", ""]
    _, (ax,) = new_figure()
    slope_panel(ax, SIZES, _thresholds(1.5), flags)
    assert np.isfinite(_medians(ax).get_ydata()).tolist() == [False, True, True, True]
    assert sum(line.get_marker() == "v" for line in ax.lines) == 1


def test_several_learners_share_the_axes(assert_legible):
    figure, (ax,) = new_figure()
    flags = {d: np.full(5, d == 64) for d in SIZES}
    slope_panel(ax, SIZES, _thresholds(1.6), slope=Measured(1.6, 1.5, 1.7, 5),
                references={"d²": 2.0, "d": 1.0})  # fmt: skip
    slope_panel(ax, SIZES, _thresholds(3.0), flags, Measured(3, 2.8, np.inf, 5), name="NTK")
    assert_legible(
        figure,
        texts=["one step\nslope 1.6 [1.5, 1.7]", "NTK\nslope 3 [2.8, ∞]", "d²", "d"]
        + [str(d) for d in SIZES],
    )


def test_two_panels_are_legible(assert_legible):
    figure, axes = new_figure(2, height=3)
    for ax, power in zip(axes, (1.6, 3.1), strict=True):
        slope_panel(ax, SIZES, _thresholds(power), slope=Measured(power, 1, 4, 5),
                    references={"d²": 2.0})  # fmt: skip
    assert_legible(figure, texts=["d²"])


def test_nothing_reached_is_still_a_figure(assert_legible):
    figure, (ax,) = new_figure()
    slope_panel(ax, SIZES, {d: [np.inf, np.nan] for d in SIZES}, references={"d²": 2.0})
    assert_legible(figure, texts=["one step"])


def test_what_is_missing_is_said():
    _, (ax,) = new_figure()
    with pytest.raises(InvalidInputError, match="No thresholds for size 64"):
        slope_panel(ax, SIZES, {8: [1], 16: [2], 32: [3]})
    with pytest.raises(InvalidInputError, match="2 thresholds and 1 marks"):
        slope_panel(ax, [8], {8: [1, 2]}, {8: [True]})
    with pytest.raises(InvalidInputError, match="No sizes"):
        slope_panel(ax, [], {})
