"""Shares: a median and an interval for each category and series."""

import numpy as np
import pandas as pd
from matplotlib.colors import to_hex

from featlearn.report.figures import learner_style, new_figure, share_panel
from featlearn.report.figures._palette import MUTED, PAPER


def _rows():
    draws = np.random.default_rng(2).uniform(0, 1, size=(2, 3, 9))
    return pd.DataFrame(
        [
            {"level": level, "learner": name, "share": draws[i, j, s]}
            for i, name in enumerate(["joint", "layer-wise"])
            for j, level in enumerate([1, 2, 3])
            for s in range(9)
        ]
    )


def _points(ax, name):
    colour = learner_style(name).colour
    own = [line for line in ax.lines if line.get_color() == colour and len(line.get_xdata())]
    dots = [line for line in own if line.get_marker() not in ("None", "")]
    bars = [line for line in own if line not in dots]
    return dots, bars


def test_points_are_medians_and_bars_their_intervals():
    rows = _rows()
    _, (ax,) = new_figure()
    share_panel(ax, rows, "level", "share", "learner")
    for name in ("joint", "layer-wise"):
        dots, bars = _points(ax, name)
        by_level = rows[rows.learner == name].groupby("level").share
        np.testing.assert_allclose([dot.get_ydata()[0] for dot in dots], by_level.median())
        np.testing.assert_allclose([bar.get_ydata()[0] for bar in bars], by_level.quantile(0.1))
        np.testing.assert_allclose([bar.get_ydata()[1] for bar in bars], by_level.quantile(0.9))


def test_series_stand_beside_each_other():
    _, (ax,) = new_figure()
    share_panel(ax, _rows(), "level", "share", "learner")
    first, second = (_points(ax, name)[0][1].get_xdata()[0] for name in ("joint", "layer-wise"))
    assert 0.5 < first < 1 < second < 1.5


def test_missing_values_make_a_point_hollow():
    rows = _rows()
    rows.loc[0, "share"] = np.nan
    _, (ax,) = new_figure()
    share_panel(ax, rows, "level", "share", "learner")
    faces = [to_hex(dot.get_markerfacecolor()) for dot in _points(ax, "joint")[0]]
    assert [face == PAPER for face in faces] == [True, False, False]


def test_expected_values_are_bars_behind():
    _, (ax,) = new_figure()
    share_panel(ax, _rows(), "level", "share", "learner", expected={1: 0.9, 3: 0.5, 7: 0.1})
    bars = [line for line in ax.lines if line.get_color() == MUTED]
    assert [tuple(bar.get_ydata()) for bar in bars] == [(0.9, 0.9), (0.5, 0.5)]


def test_is_legible(assert_legible):
    figure, axes = new_figure(2, height=2.8)
    share_panel(axes[0], _rows(), "level", "share", "learner", direct=False)
    share_panel(axes[1], _rows(), "level", "share", "learner")
    assert_legible(figure, texts=["joint", "layer-wise", "1", "2", "3"])
