"""Ticks of a logarithmic axis that a reader can use: as many as there is room to read, no more."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, Formatter, Locator, LogLocator, MaxNLocator

from featlearn.report._numbers import power_of_ten

_LETTER, _SPACE = 4.8, 8.0  # points that a letter takes on a horizontal axis, and between labels
_LINE = 20.0  # points that a label takes on a vertical axis


class LogTicks(Locator):
    """The finest of 1–2–5, 1–3 and decades that has room; even steps within a factor of 3."""

    def __call__(self) -> Sequence[float]:
        return self.tick_values(*self.axis.get_view_interval())  # type: ignore[union-attr]

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        low, high = sorted((vmin, vmax))
        if not (low > 0 and np.isfinite(high)):
            return []
        room = min(_room(self.axis), 5)
        if np.log10(high / low) < 0.5:
            steps = MaxNLocator(nbins=min(room, 4), steps=[1, 2, 5, 10])
            return _within(low, high, steps.tick_values(low, high))
        for digits in ([1.0, 2.0, 5.0], [1.0, 3.0]):
            ticks = _within(low, high, _decades(low, high, digits))
            if len(ticks) <= room:
                return ticks
        ticks = _within(low, high, _decades(low, high, [1.0]))
        return ticks[:: max(1, -(-len(ticks) // max(room, 2)))]


class ValueTicks(Locator):
    """Ticks at the few values that the data have, every second or third where room is short."""

    def __init__(self, values: Sequence[float]) -> None:
        self.values = sorted(values)

    def __call__(self) -> Sequence[float]:
        return self.tick_values(*self.axis.get_view_interval())  # type: ignore[union-attr]

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        ticks = _within(min(vmin, vmax), max(vmin, vmax), self.values)
        letters = max((len(_plain(tick)) for tick in ticks), default=1)
        return ticks[:: max(1, -(-len(ticks) // _room(self.axis, letters)))]


class LogNames(Formatter):
    """Plain numbers where all of the axis can be written so, powers of ten otherwise."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        low, high = sorted(self.axis.get_view_interval())  # type: ignore[union-attr]
        least = x if low <= 0 < x else low  # an axis that begins at zero is linear there
        readable = least >= 5e-4 and high <= 2e5
        return _plain(x) if readable or x == 0 else power_of_ten(x)


def _plain(x: float) -> str:
    text = f"{x:,.0f}" if x >= 1000 else f"{x:.4g}"
    return text.replace(",", "\u2009")


def log_axis(axis: Axis, at: Sequence[float] | None = None) -> None:
    """Put readable ticks on a logarithmic axis; `at` names the few values that the data have."""
    axis.set_major_locator(ValueTicks(at) if at is not None else LogTicks())
    axis.set_major_formatter(LogNames())
    axis.set_minor_locator(LogLocator(subs=range(2, 10), numticks=99))
    axis.set_minor_formatter(lambda *_: "")
    if at is not None:
        axis.set_minor_locator(FixedLocator([]))


def scale_axis(ax: Axes, which: str, values: np.ndarray, few: bool = False) -> None:
    """Make an axis logarithmic; linear near zero where values reach it."""
    axis, rescale = (ax.xaxis, ax.set_xscale) if which == "x" else (ax.yaxis, ax.set_yscale)
    positive = values[values > 0]
    if not positive.size:
        return
    if which == "x" and values.min() <= 0:
        rescale("symlog", linthresh=float(positive.min()))
        if few and _apart(positive):
            log_axis(axis, np.unique(values).tolist())
        return
    rescale("log")
    log_axis(axis, np.unique(positive).tolist() if few and _apart(positive) else None)


def _apart(values: np.ndarray) -> bool:
    """Whether the values are few, and far enough from one another to be named each."""
    distinct = np.unique(values)
    return 1 < len(distinct) <= 7 and bool(np.diff(np.log(distinct)).min() > 0.45)


def _room(axis: Any, letters: int = 6) -> int:
    """How many labels of so many letters fit along the axis as it is now."""
    if not isinstance(axis, Axis):
        return 5
    box = axis.axes.bbox
    points = 72 / axis.axes.figure.dpi
    if axis is axis.axes.xaxis:
        return max(int(box.width * points / (_LETTER * letters + _SPACE)), 2)
    return max(int(box.height * points / _LINE), 2)


def _within(low: float, high: float, ticks: Iterable[float]) -> list[float]:
    return [float(t) for t in ticks if low * (1 - 1e-9) <= t <= high * (1 + 1e-9)]


def _decades(low: float, high: float, digits: Sequence[float]) -> list[float]:
    first, last = int(np.floor(np.log10(low))), int(np.ceil(np.log10(high)))
    return [digit * 10.0**k for k in range(first, last + 1) for digit in digits]
