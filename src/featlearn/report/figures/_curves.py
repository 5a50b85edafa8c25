"""Curves over a scale: medians over repetitions, with the band that half of them fall in."""

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from featlearn.errors import InvalidInputError
from featlearn.report._numbers import number
from featlearn.report.figures._house import SMALL, name_axes
from featlearn.report.figures._labels import EndLabel
from featlearn.report.figures._palette import PAPER, Style, is_number, series_styles
from featlearn.report.figures._ticks import scale_axis

_MANY = 24  # points beyond which markers would run into each other


@dataclass(frozen=True)
class _Summary:
    """The repetitions at each place: median, band, and how many have no finite value."""

    x: np.ndarray
    median: np.ndarray
    low: np.ndarray
    high: np.ndarray
    missing: np.ndarray

    @property
    def empty(self) -> np.ndarray:
        return np.isnan(self.median)


def curve_panel(
    ax: Axes,
    rows: pd.DataFrame,
    x: str,
    y: str,
    series: str,
    *,
    labels: Mapping[Hashable, str] | None = None,
    styles: Mapping[Hashable, Style] | None = None,
    log: Collection[str] = ("x", "y"),
    band: tuple[float, float] = (0.25, 0.75),
    direct: bool = True,
) -> None:
    """One line for each value of the column `series`: medians of `y` at each `x`, with bands.

    A value that is not finite (a repetition that diverged or was censored) is counted, then left
    out: the point is hollow where some are missing, a cross at the axis where all are.
    Series named like learners take the learners' styles, numbers a ramp from light to dark.
    `direct=False` draws no names at the line ends (for all but one of several like panels).
    """
    check_columns(rows, x, y, series)
    names = series_names(rows, series, labels)
    looks = {**series_styles(list(names)), **(styles or {})}
    curves = {v: _summary(rows[rows[series] == v], x, y, band) for v in names}
    if "x" in log:
        scale_axis(ax, "x", rows[x].to_numpy(float), few=True)
    if "y" in log:
        scale_axis(ax, "y", _drawn_heights(curves.values()))
    for value, curve in curves.items():
        _draw(ax, curve, looks[value])
        if direct:
            _name_end(ax, curve, names[value], looks[value])
    name_axes(ax, x, y)


def check_columns(rows: pd.DataFrame, *columns: str) -> None:
    """Refuse a table without the columns that a panel is to show."""
    missing = [column for column in columns if column not in rows.columns]
    if missing:
        raise InvalidInputError(
            f"The rows have no column {', '.join(map(repr, missing))}; "
            f"choose among {', '.join(map(str, rows.columns)) or 'none: there are no columns'}."
        )


def series_names(
    rows: pd.DataFrame, series: str, labels: Mapping[Hashable, str] | None
) -> dict[Hashable, str]:
    """The series in order (numbers ascending, names as they come) and what each is called."""
    values = list(rows[series].dropna().unique())
    if values and all(is_number(value) for value in values):
        values = sorted(values)
    given = labels or {}
    return {value: given.get(value, _default_name(value, series)) for value in values}


def _default_name(value: Hashable, series: str) -> str:
    return f"{series} = {number(float(value))}" if is_number(value) else str(value)  # type: ignore[arg-type]


def _summary(rows: pd.DataFrame, x: str, y: str, band: tuple[float, float]) -> _Summary:
    places = np.unique(rows[x].to_numpy(float))
    at = [rows[y].to_numpy(float)[rows[x].to_numpy(float) == place] for place in places]
    finite = [values[np.isfinite(values)] for values in at]
    low, median, high = (
        np.array([np.quantile(v, q) if v.size else np.nan for v in finite])
        for q in (band[0], 0.5, band[1])
    )
    missing = np.array([all_.size - kept.size for all_, kept in zip(at, finite, strict=True)])
    return _Summary(places, median, low, high, missing)


def _drawn_heights(curves: Collection[_Summary]) -> np.ndarray:
    heights = np.concatenate([[np.nan], *(c.median for c in curves), *(c.low for c in curves)])
    return heights[np.isfinite(heights)]


def _draw(ax: Axes, curve: _Summary, style: Style) -> None:
    many = len(curve.x) > _MANY
    ax.fill_between(
        curve.x, curve.low, curve.high, color=style.colour, alpha=0.16, linewidth=0, zorder=1.5
    )
    look: dict[str, Any] = {"color": style.colour, "marker": style.marker, "zorder": 2.5}
    ax.plot(
        curve.x,
        curve.median,
        linestyle=style.dash,
        linewidth=style.width,
        markersize=0 if many else 4.5,
        markeredgewidth=0.8,
        **look,
    )
    partial = (curve.missing > 0) & ~curve.empty
    if partial.any():
        hollow: dict[str, Any] = {
            "markerfacecolor": PAPER,
            "markersize": 4.5,
            "markeredgewidth": 1.1,
        }
        ax.plot(
            curve.x[partial],
            curve.median[partial],
            linestyle="",
            **{**look, "zorder": 2.6},
            **hollow,
        )
    if curve.empty.any():
        gone = curve.x[curve.empty]
        ax.plot(
            gone,
            np.zeros(len(gone)),
            "x",
            transform=ax.get_xaxis_transform(),
            color=style.colour,
            markersize=5,
            markeredgewidth=1.2,
            clip_on=False,
            zorder=3,
        )


def _name_end(ax: Axes, curve: _Summary, name: str, style: Style) -> None:
    if not len(curve.x):
        return
    kept = np.flatnonzero(~curve.empty)
    last = int(kept[-1]) if kept.size else len(curve.x) - 1
    end = (float(curve.x[last]), float(curve.median[last]))
    ax.add_artist(EndLabel(ax, end, name, fontsize=SMALL, color=style.colour))
