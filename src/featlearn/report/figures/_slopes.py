"""How a threshold grows with a size: n*(d) on logarithmic axes, with the fitted exponent."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from featlearn.claims import Measured
from featlearn.errors import InvalidInputError
from featlearn.report._numbers import interval, number
from featlearn.report.figures._house import SMALL, name_axes
from featlearn.report.figures._labels import EndLabel
from featlearn.report.figures._palette import MUTED, PAPER, Style, learner_style
from featlearn.report.figures._ticks import scale_axis

_MEDIANS = "_medians"  # a label that no legend shows


def slope_panel(
    ax: Axes,
    sizes: Sequence[float],
    thresholds: Mapping[float, ArrayLike],
    censored: Mapping[float, ArrayLike] | None = None,
    slope: Measured | None = None,
    *,
    references: Mapping[str, float] | None = None,
    name: str = "one step",
    style: Style | None = None,
    x_label: str = "d",
    y_label: str = "n*(d)",
) -> None:
    """Thresholds of every seed against `sizes`, the fitted line with its band, and guide lines.

    `thresholds[d]` are the seeds' n*, `censored[d]` says which of them are only lower bounds: these
    are open upward triangles. `references` are slopes by name ('d²': 2.0), drawn as thin guides.
    Call it once for each learner, with the same axes.

    `censored[d]` may also hold 'above' and 'below', as crossings do; 'below' is an upper bound and
    an open downward triangle.
    """
    look = style or learner_style(name)
    points = [_points(size, thresholds, censored) for size in sizes]
    if not points:
        raise InvalidInputError(f"No sizes to draw for {name}; give at least one.")
    x = np.array([float(size) for size in sizes])
    centre = np.array([_median(values) for values, _ in points])
    known = np.array([_median_is_known(values, sides) for values, sides in points])
    _scale(ax, x, np.concatenate([values for values, _ in points]))
    for size, (values, sides) in zip(x, points, strict=True):
        _draw_seeds(ax, size, values, sides, look)
    _draw_medians(ax, x, np.where(known, centre, np.nan), look)
    if slope is not None and slope.finite and np.isfinite(centre).any():
        _draw_fit(ax, x, centre, known, slope, look)
    _draw_guides(ax, x, centre, references or {})
    _name(ax, x, centre, slope, name, look)
    name_axes(ax, x_label, y_label)


def _points(
    size: float, thresholds: Mapping[float, ArrayLike], censored: Mapping[float, ArrayLike] | None
) -> tuple[np.ndarray, np.ndarray]:
    """The finite thresholds at a size, and for each: 1 a lower bound, −1 an upper one, 0 known."""
    if size not in thresholds:
        raise InvalidInputError(
            f"No thresholds for size {size:g}; give one list for each of `sizes`."
        )
    values = np.atleast_1d(np.asarray(thresholds[size], float))
    flags = np.atleast_1d(np.asarray((censored or {}).get(size, np.zeros(len(values), bool))))
    if len(flags) != len(values):
        raise InvalidInputError(
            f"Size {size:g} has {len(values)} thresholds and {len(flags)} marks of censoring; "
            "give one mark for each."
        )
    if flags.dtype.kind in "UO":
        sides = np.where(flags == "above", 1, np.where(flags == "below", -1, 0))
    else:
        sides = flags.astype(int)
    kept = np.isfinite(values) & (values > 0)
    return values[kept], sides[kept]


def _median(values: np.ndarray) -> float:
    return float(np.exp(np.median(np.log(values)))) if values.size else np.nan


def _median_is_known(values: np.ndarray, sides: np.ndarray) -> bool:
    """Whether the median is a number and not only a bound: bounds are on one side of it."""
    if not values.size:
        return False
    median = _median(values)
    return not np.any((sides != 0) & (sides * (values - median) <= 0) & (values != median)) and (
        float(np.mean(sides != 0)) < 0.5
    )


def _scale(ax: Axes, x: np.ndarray, y: np.ndarray) -> None:
    """Scales for these points and those of earlier calls, whose sizes their medians tell."""
    earlier = [line for line in ax.lines if line.get_label() == _MEDIANS]
    sizes = [np.asarray(line.get_xdata(), float) for line in earlier]
    heights = [np.asarray(line.get_ydata(), float) for line in earlier]
    seen = np.concatenate([y, *heights])
    scale_axis(ax, "x", np.concatenate([x, *sizes]), few=True)
    scale_axis(ax, "y", seen[np.isfinite(seen)])


def _draw_seeds(ax: Axes, size: float, values: np.ndarray, sides: np.ndarray, look: Style) -> None:
    """Seeds side by side, within a fiftieth of the size, so that equal ones are all seen."""
    apart = size * (1 + np.linspace(-0.02, 0.02, len(values))) if len(values) > 1 else size
    places = np.broadcast_to(apart, values.shape)
    for side, marker in ((0, look.marker), (1, "^"), (-1, "v")):
        here = sides == side
        if here.any():
            ax.plot(
                places[here],
                values[here],
                linestyle="",
                marker=marker,
                markersize=4.5 if side else 3.2,
                color=look.colour,
                markerfacecolor=PAPER if side else look.colour,
                markeredgewidth=0.9 if side else 0,
                alpha=0.9 if side else 0.4,
                zorder=2.4 if side else 2.2,
            )


def _draw_medians(ax: Axes, x: np.ndarray, medians: np.ndarray, look: Style) -> None:
    ax.plot(
        x,
        medians,
        label=_MEDIANS,
        linestyle="",
        marker=look.marker,
        markersize=6,
        color=look.colour,
        markeredgecolor=PAPER,
        markeredgewidth=0.8,
        zorder=3,
    )


def _draw_fit(
    ax: Axes, x: np.ndarray, centre: np.ndarray, known: np.ndarray, slope: Measured, look: Style
) -> None:
    """A line of the fitted slope through the middle of the medians that are known."""
    use = known if known.any() else np.isfinite(centre)
    log_x, middle = np.log(x), float(np.mean(np.log(x[use])))
    level = float(np.mean(np.log(centre[use])))
    along = np.linspace(log_x.min(), log_x.max(), 33)

    def line(power: float) -> np.ndarray:
        return np.exp(level + power * (along - middle))

    ax.plot(np.exp(along), line(slope.value), color=look.colour, linestyle=look.dash,
            linewidth=look.width, zorder=2)  # fmt: skip
    if np.isfinite([slope.low, slope.high]).all():
        low, high = line(slope.low), line(slope.high)
        ax.fill_between(np.exp(along), np.minimum(low, high), np.maximum(low, high),
                        color=look.colour, alpha=0.14, linewidth=0, zorder=1.4)  # fmt: skip


def _draw_guides(
    ax: Axes, x: np.ndarray, centre: np.ndarray, references: Mapping[str, float]
) -> None:
    """Slopes to compare with, from the first size's median on."""
    seen = np.flatnonzero(np.isfinite(centre))
    if not seen.size:
        return
    first = int(seen[np.argmin(x[seen])])
    ends = np.array([x[first], x.max()])
    for text, power in references.items():
        heights = centre[first] * (ends / x[first]) ** power
        ax.plot(ends, heights, color=MUTED, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1.3)
        end = (float(ends[1]), float(heights[1]))
        ax.add_artist(EndLabel(ax, end, text, fontsize=SMALL, color=MUTED))


def _name(
    ax: Axes, x: np.ndarray, centre: np.ndarray, slope: Measured | None, name: str, look: Style
) -> None:
    last = int(np.argmax(np.where(np.isfinite(centre), x, -np.inf)))
    text = name
    if slope is not None and slope.finite:
        text += f"\nslope {number(slope.value)} {interval(slope.low, slope.high)}"
    end = (float(x[last]), float(centre[last]))
    ax.add_artist(EndLabel(ax, end, text, fontsize=SMALL, color=look.colour, linespacing=1.15))
