"""From which size on an error curve is low enough, and medians over seeds with their intervals.

These judge stored numbers, so they know NumPy alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featlearn.claims import Measured
from featlearn.errors import InvalidInputError

Floats = NDArray[np.float64]

# An error of 0 has no logarithm: whatever lies further under the level counts as this part of it.
FLOOR = 1e-3


@dataclass(frozen=True)
class Crossing:
    """n*, the size where an error curve reaches its level, or the bound that the grid gives.

    side   "" where n* = value; "above" where the level is not reached at the largest size, so
           n* > value; "below" where the smallest size reaches it already, so n* <= value
    """

    value: float
    side: Literal["", "above", "below"] = ""

    @property
    def censored(self) -> bool:
        return self.side != ""


def threshold_crossing(sizes: ArrayLike, errors: ArrayLike, level: float) -> Crossing:
    """The size n* at which the error curve of one seed comes down to `level`.

    The crossing is the first one that the next grid point does not undo: error <= level at a
    point and at the next (the last point has none, and counts alone). One lucky point is thus no
    crossing, and one unlucky point far beyond it takes none back. Between the crossing and the
    point before it, log error is linear in log size. An error that is NaN or infinite has not
    reached the level; after such a point n* is the crossing itself.

    What it cannot tell: anything between or beyond the sizes of the grid, hence `Crossing.side`.

        threshold_crossing([100, 1000, 10_000], [1.0, 0.5, 0.05], level=0.1)
    """
    n, e = _curve(sizes, errors)
    if not 0 < level < np.inf:
        raise InvalidInputError(f"level must be positive and finite, got {level}.")
    reached = np.isfinite(e) & (e <= level)
    stays = reached & np.append(reached[1:], True)
    if not stays.any():
        return Crossing(float(n[-1]), "above")
    i = int(np.argmax(stays))
    if i == 0:
        return Crossing(float(n[0]), "below")
    if not np.isfinite(e[i - 1]):
        return Crossing(float(n[i]))
    before, after = np.log(e[i - 1] / level), np.log(max(e[i] / level, FLOOR))
    part = before / (before - after)
    return Crossing(float(n[i - 1] * (n[i] / n[i - 1]) ** part))


def _curve(sizes: ArrayLike, errors: ArrayLike) -> tuple[Floats, Floats]:
    """Sizes in rising order with their errors."""
    n, e = np.asarray(sizes, np.float64), np.asarray(errors, np.float64)
    if n.ndim != 1 or n.shape != e.shape or n.size == 0:
        raise InvalidInputError(
            "sizes and errors must be two lists of one length, one error for each size; "
            f"got shapes {n.shape} and {e.shape}."
        )
    if not (np.isfinite(n).all() and (n > 0).all() and np.unique(n).size == n.size):
        raise InvalidInputError(
            f"sizes must be positive, finite and different, got {n.tolist()}. "
            "Give the curve of one seed, each size once."
        )
    if (e < 0).any():
        raise InvalidInputError(
            f"errors must not be negative, got {float(np.nanmin(e)):g}. "
            "Give errors that are 0 at best."
        )
    order = np.argsort(n)
    return n[order], e[order]


def median_interval(
    values: ArrayLike, confidence: float = 0.95, draws: int = 2000, seed: int = 0
) -> Measured:
    """The median over seeds with its bootstrap percentile interval.

    A value of +inf is a seed that never got there: it counts as larger than every other, and the
    median or an end of the interval may be infinite. One seed says nothing of the spread between
    seeds, and its interval is the whole line.

    What it cannot tell: with fewer than six seeds the interval is the range of the values, which
    holds the median of the law with probability 1 − 2^(1−seeds) only.

        median_interval([310.0, 290.0, 350.0, float("inf"), 305.0])
    """
    v = _seeds("values", values)
    medians = _medians(v, draws, np.random.default_rng(seed))
    low, high = percentile_ends(medians, confidence) if v.size > 1 else (-np.inf, np.inf)
    return Measured(float(np.median(v)), low, high, v.size)


def ratio_interval(
    above: ArrayLike,
    below: ArrayLike,
    confidence: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Measured:
    """median(above) / median(below) of two independent groups of seeds, values >= 0.

    Where both medians are infinite, or both 0, the ratio is unknown: NaN, anywhere from 0 to inf.

        ratio_interval(kernel_errors, network_errors)
    """
    a, b = _seeds("above", above), _seeds("below", below)
    for name, values in (("above", a), ("below", b)):
        if (values < 0).any():
            raise InvalidInputError(
                f"A ratio of medians needs values of at least 0, and {name} has {values.min():g}. "
                "Use difference_interval for signed values."
            )
    return _contrast(np.divide, a, b, 0.0, confidence, draws, seed)


def difference_interval(
    above: ArrayLike,
    below: ArrayLike,
    confidence: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Measured:
    """median(above) − median(below) of two independent groups of seeds.

    Where both medians are infinite the difference is unknown: NaN, anywhere on the line.

        difference_interval(errors_without_skips, errors_with_skips)
    """
    a, b = _seeds("above", above), _seeds("below", below)
    return _contrast(np.subtract, a, b, -np.inf, confidence, draws, seed)


def _contrast(
    function: Callable[[Floats, Floats], Floats],
    a: Floats,
    b: Floats,
    least: float,
    confidence: float,
    draws: int,
    seed: int,
) -> Measured:
    generator = np.random.default_rng(seed)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = function(np.asarray(np.median(a)), np.asarray(np.median(b)))
        resampled = function(_medians(a, draws, generator), _medians(b, draws, generator))
    seeds = min(a.size, b.size)
    low, high = percentile_ends(resampled, confidence) if seeds > 1 else (least, np.inf)
    return Measured(float(value), max(low, least), high, seeds)


def percentile_ends(draws: Floats, confidence: float) -> tuple[float, float]:
    """The percentile interval of bootstrap draws; a NaN is a draw that could lie anywhere."""
    if not 0 < confidence < 1:
        raise InvalidInputError(f"confidence must lie between 0 and 1, got {confidence}.")
    tail = (1 - confidence) / 2
    # order statistics, never a mean of two: one of them may be infinite
    low = np.quantile(np.where(np.isnan(draws), -np.inf, draws), tail, method="lower")
    high = np.quantile(np.where(np.isnan(draws), np.inf, draws), 1 - tail, method="higher")
    return float(low), float(high)


def _seeds(name: str, values: ArrayLike) -> Floats:
    v = np.asarray(values, np.float64)
    if v.ndim != 1 or v.size == 0:
        raise InvalidInputError(f"{name} must be a list of one value a seed, got shape {v.shape}.")
    if np.isnan(v).any() or np.isneginf(v).any():
        raise InvalidInputError(
            f"{name} has {int(np.isnan(v).sum() + np.isneginf(v).sum())} of {v.size} values that "
            "are NaN or −inf. Give +inf for a seed that never got there."
        )
    return v


def _medians(values: Floats, draws: int, generator: np.random.Generator) -> Floats:
    picked = generator.integers(values.size, size=(draws, values.size))
    return np.asarray(np.median(values[picked], axis=1), np.float64)
