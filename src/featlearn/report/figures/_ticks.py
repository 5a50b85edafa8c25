"""Ticks of a logarithmic axis that a reader can use: 1–2–5 over a short range, decades over a long."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, Formatter, Locator, LogLocator, MaxNLocator

from featlearn.report._numbers import power_of_ten


class LogTicks(Locator):
    """Decades where there are two or more, 1–2–5 below that, evenly spaced within a factor of 3."""

    def __call__(self) -> Sequence[float]:
        return self.tick_values(*self.axis.get_view_interval())  # type: ignore[union-attr]

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        low, high = sorted((vmin, vmax))
        if not (low > 0 and np.isfinite(high)):
            return []
        span = np.log10(high / low)
        if span < 0.5:
            ticks = MaxNLocator(nbins=4, steps=[1, 2, 5, 10]).tick_values(low, high)
        else:
            digits = [1.0] if span >= 2 else [1.0, 3.0] if span > 1.3 else [1.0, 2.0, 5.0]
            ticks = _spread_decades(low, high, digits)
        return [float(t) for t in ticks if low * (1 - 1e-9) <= t <= high * (1 + 1e-9)]


class LogNames(Formatter):
    """Plain numbers where all of the axis can be written so, powers of ten otherwise."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        low, high = sorted(self.axis.get_view_interval())  # type: ignore[union-attr]
        plain = low >= 5e-4 and high <= 2e5
        return f"{x:,.4g}".replace(",", "\u2009") if plain else power_of_ten(x)


def log_axis(axis: Axis, at: Sequence[float] | None = None) -> None:
    """Put readable ticks on a logarithmic axis; `at` names the few values that the data have."""
    axis.set_major_locator(FixedLocator(list(at)) if at is not None else LogTicks())
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
        return
    rescale("log")
    distinct = np.unique(positive)
    spread = np.diff(np.log(distinct))
    apart = few and len(distinct) <= 7 and spread.size and spread.min() > 0.45
    log_axis(axis, distinct.tolist() if apart else None)


def _spread_decades(low: float, high: float, digits: Sequence[float]) -> list[float]:
    first, last = int(np.floor(np.log10(low))), int(np.ceil(np.log10(high)))
    stride = max(1, -(-(last - first) // 6))
    return [digit * 10.0**k for k in range(first, last + 1, stride) for digit in digits]
