"""Curves: medians, bands, and marks for what is missing."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from featlearn.errors import InvalidInputError
from featlearn.report.figures import curve_panel, learner_style, mark_scale, new_figure, panel_title
from featlearn.report.figures._palette import PAPER

_LEARNERS = ["one step", "NTK", "random features", "conjugate kernel"]


def _rows(learners=_LEARNERS, sizes=(16, 64, 256, 1024), seeds=5):
    draws = np.random.default_rng(1).uniform(0.5, 1.5, size=(len(learners), len(sizes), seeds))
    return pd.DataFrame(
        [
            {"learner": name, "n": n, "repetition": s, "error": draws[i, j, s] * (1 + i) / n}
            for i, name in enumerate(learners)
            for j, n in enumerate(sizes)
            for s in range(seeds)
        ]
    )


def _drawn(rows, **options):
    figure, (ax,) = new_figure()
    curve_panel(ax, rows, "n", "error", "learner", **options)
    return figure, ax


def test_lines_are_medians():
    rows = _rows()
    _, ax = _drawn(rows)
    lines = ax.lines
    assert len(lines) == 4
    for name, line in zip(_LEARNERS, lines, strict=True):
        median = rows[rows.learner == name].groupby("n").error.median()
        np.testing.assert_allclose(line.get_xdata(), median.index)
        np.testing.assert_allclose(line.get_ydata(), median)
        assert line.get_color() == learner_style(name).colour


def test_bands_hold_half_of_the_repetitions():
    rows = _rows(["NTK"])
    _, ax = _drawn(rows)
    (band,) = ax.collections
    ends = band.get_paths()[0].get_extents()
    quantiles = rows.groupby("n").error.quantile
    assert ends.y1 == pytest.approx(quantiles(0.75).max())
    assert ends.y0 == pytest.approx(quantiles(0.25).min())


def test_a_point_is_hollow_where_some_are_missing_and_a_cross_where_all_are():
    rows = _rows(["NTK"])
    rows.loc[rows.n == 64, "error"] = [1.0, 2.0, np.nan, np.inf, 3.0]
    rows.loc[rows.n == 256, "error"] = np.nan
    _, ax = _drawn(rows)
    line, hollow, cross = ax.lines
    assert line.get_ydata()[1] == 2.0
    assert np.isnan(line.get_ydata()[2])
    assert hollow.get_xdata().tolist() == [64]
    assert to_hex(hollow.get_markerfacecolor()) == PAPER
    assert (cross.get_marker(), cross.get_xdata().tolist()) == ("x", [256])


def test_numbers_are_ordered_and_named():
    rows = _rows().assign(width=lambda t: t.learner.map(dict(zip(_LEARNERS, [64, 4096, 16, 256],
                                                               strict=True))))  # fmt: skip
    _figure, (ax,) = new_figure()
    curve_panel(ax, rows, "n", "error", "width")
    assert [text.get_text() for text in ax.texts] == [
        "width = 16", "width = 64", "width = 256", "width = 4\u2009096",
    ]  # fmt: skip


def test_names_are_within_the_figure_and_apart(assert_legible):
    figure, ax = _drawn(_rows())
    for value, text in ((64, "d²"), (80, "d² r"), (1000, "dᵖ")):
        mark_scale(ax, value, text)
    assert_legible(figure, texts=[*_LEARNERS, "d²", "d² r", "dᵖ", "n", "error"])


def test_ten_names_at_one_height_are_apart(assert_legible):
    names = [*_LEARNERS, "RBF", "Laplace", "polynomial", "pHd", "SIR", "linear"]
    rows = _rows(names)
    rows.error = 1.0 / rows.n
    figure, _ = _drawn(rows)
    assert_legible(figure, texts=names)


def test_labels_in_their_place_would_cover_one_another(find_faults):
    """The check sees what it is for: the same names as plain texts."""
    figure, ax = _drawn(_rows(), direct=False)
    for name in _LEARNERS:
        ax.text(256, 0.01, name)
    assert len(find_faults(figure)) == 6
    ax.text(1, 1.3, "cut", transform=ax.transAxes)
    assert "cut" in find_faults(figure)


def test_three_panels_share_one_set_of_names(assert_legible):
    figure, axes = new_figure(3, height=2.6, share_y=True)
    for i, ax in enumerate(axes):
        curve_panel(ax, _rows(sizes=(128, 512, 2048, 8192, 32768)), "n", "error", "learner",
                    direct=i == 2)  # fmt: skip
        panel_title(ax, f"d = {8 * 2**i}")
    assert_legible(figure, texts=[*_LEARNERS, "d = 8", "d = 32"])
    assert [ax.get_ylabel() for ax in axes] == ["error", "", ""]


def test_labels_replace_names_and_labels_of_axes_stay():
    _figure, (ax,) = new_figure()
    ax.set_xlabel("samples")
    curve_panel(ax, _rows(["NTK"]), "n", "error", "learner", labels={"NTK": "kernel"})
    assert [text.get_text() for text in ax.texts] == ["kernel"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("samples", "error")


def test_all_missing_is_still_a_figure(assert_legible):
    rows = _rows(["NTK", "one step"])
    rows.loc[rows.learner == "NTK", "error"] = np.nan
    figure, _ax = _drawn(rows)
    assert_legible(figure, texts=["NTK"])
    rows.error = np.nan
    figure, _ax = _drawn(rows)
    assert_legible(figure, texts=["NTK", "one step"])


def test_a_column_that_is_not_there():
    with pytest.raises(InvalidInputError, match="no column 'risk'; choose among learner, n"):
        curve_panel(new_figure()[1][0], _rows(), "n", "risk", "learner")
