"""Shares by category: points with intervals, side by side."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from featlearn.report.figures._curves import check_columns, series_names
from featlearn.report.figures._house import SMALL, name_axes
from featlearn.report.figures._palette import MUTED, PAPER, RULE, Style, series_styles

_SPREAD = 0.72  # of the distance between categories, shared by the series


def share_panel(
    ax: Axes,
    rows: pd.DataFrame,
    x: str,
    y: str,
    series: str,
    *,
    labels: Mapping[Hashable, str] | None = None,
    styles: Mapping[Hashable, Style] | None = None,
    expected: Mapping[Hashable, float] | None = None,
    band: tuple[float, float] = (0.1, 0.9),
    direct: bool = True,
) -> None:
    """The median of `y` in each category `x`, one point a series, with the interval `band`.

    `expected` gives a value for each category, drawn as a bar behind its points. Values that are
    not finite are left out and make the point hollow. `direct=False` draws no key at the right.
    """
    check_columns(rows, x, y, series)
    names = series_names(rows, series, labels)
    looks = {**series_styles(list(names)), **(styles or {})}
    categories = sorted(rows[x].dropna().unique())
    places = {category: i for i, category in enumerate(categories)}
    for level in (0.0, 1.0):
        ax.axhline(level, color=RULE, linewidth=0.8, zorder=1)
    for category, height in (expected or {}).items():
        if category in places:
            _draw_expected(ax, places[category], height)
    for position, value in enumerate(names):
        mine = rows[rows[series] == value]
        offset = _SPREAD * ((position + 0.5) / len(names) - 0.5)
        _draw_points(ax, mine, x, y, places, offset, looks[value], names[value], band)
    ax.set_xticks(range(len(categories)), [f"{c:g}" if isinstance(c, float) else str(c)
                                           for c in categories])  # fmt: skip
    ax.set_xlim(-0.5, len(categories) - 0.5)
    ax.grid(False, axis="x")
    if direct:
        _draw_key(ax)
    name_axes(ax, x, y)


def _draw_expected(ax: Axes, place: int, value: float) -> None:
    half = _SPREAD / 2 + 0.04
    ax.plot([place - half, place + half], [value, value], color=MUTED, linewidth=4, alpha=0.35,
            solid_capstyle="butt", zorder=1.5)  # fmt: skip


def _draw_points(
    ax: Axes,
    rows: pd.DataFrame,
    x: str,
    y: str,
    places: Mapping[Hashable, int],
    offset: float,
    style: Style,
    name: str,
    band: tuple[float, float],
) -> None:
    look: dict[str, Any] = {
        "color": style.colour,
        "marker": style.marker,
        "linestyle": "",
        "markersize": 5,
    }
    ax.plot([], [], label=name, **look)
    for category, place in places.items():
        values = rows.loc[rows[x] == category, y].to_numpy(float)
        finite = values[np.isfinite(values)]
        if not finite.size:
            continue
        low, median, high = np.quantile(finite, (band[0], 0.5, band[1]))
        at = place + offset
        ax.plot([at, at], [low, high], color=style.colour, linewidth=1.4, alpha=0.7, zorder=2)
        face = style.colour if finite.size == values.size else PAPER
        ax.plot([at], [median], markerfacecolor=face, markeredgewidth=0.9, zorder=3, **look)


def _draw_key(ax: Axes) -> None:
    key = ax.legend(
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize=SMALL,
        labelcolor="linecolor",
        handletextpad=0.2,
        borderaxespad=0.2,
    )
    key.set_in_layout(True)
