"""With which power of a size a threshold grows: the slope of log n*(d) against log d.

    log n* = a + s log d + σ ε,   ε ~ N(0, 1),   one σ for all sizes

Thresholds of which only a bound is known enter the likelihood as bounds; see `_tobit`. Without
them the maximum is that of least squares.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2, norm
from scipy.stats import t as student

from featlearn.claims import Measured
from featlearn.errors import InvalidInputError
from featlearn.measures._tobit import Tobit
from featlearn.measures.thresholds import percentile_ends

Floats = NDArray[np.float64]

FAR = 100.0  # no power law is steeper: a likelihood that is still high there has no bound
SAME = 1e-3  # log likelihoods nearer than this are equal
FEWEST = 3  # resampling two seeds gives 95 % intervals that cover 79 % of the time
SIDES = {"": 0, "above": 1, "below": -1}


@dataclass(frozen=True)
class Slope:
    """An exponent with its interval; `seeds` is the smallest number of seeds at a size."""

    value: float
    low: float
    high: float
    seeds: int
    intercept: float  # log n* at d = 1

    @property
    def measured(self) -> Measured:
        return Measured(self.value, self.low, self.high, self.seeds)

    def at(self, sizes: ArrayLike) -> Floats:
        """The fitted power law at given sizes, for drawing."""
        logs = np.log(np.asarray(sizes, np.float64))
        return np.asarray(np.exp(self.intercept + self.value * logs), np.float64)


@dataclass(frozen=True)
class _Points:
    """All seeds of all sizes in one row, centred; side 0 is exact, ±1 a lower or upper bound."""

    x: Floats
    y: Floats
    side: NDArray[np.int64]
    counts: tuple[int, ...]  # seeds at each size, in the order of the row
    centre: tuple[float, float]

    @property
    def rows(self) -> Floats:
        """z = rows · (α, β, θ)."""
        return np.stack([-np.ones_like(self.x), -self.x, self.y], axis=1)[None]

    @property
    def exact_sizes(self) -> int:
        return len(set(self.x[self.side == 0]))


def exponent(
    sizes: Sequence[float],
    thresholds: Mapping[Any, ArrayLike] | Sequence[ArrayLike],
    censored: Mapping[Any, ArrayLike] | Sequence[ArrayLike] | None = None,
    *,
    confidence: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
) -> Slope:
    """The exponent of n*(d), or of any positive number against a size (decay has a negative one).

    thresholds   the seeds' values for each size: {size: values}, or a list in the order of `sizes`
    censored     of the same form: True or "above" where n* > value, "below" where n* < value,
                 False or "" where it is known, as `Crossing.side` says. A mapping may leave out
                 sizes without censoring

    The interval is a percentile bootstrap over the seeds within each size, widened for few seeds.
    With one or two seeds at some size, or with exact values at fewer than two sizes, it is the
    likelihood-ratio interval with Student's correction instead: the t interval of least squares
    where nothing is censored, infinite where no residual is left over. The value is ±inf where the
    data bound the slope from one side alone, and NaN where they do not bound it at all.

    What it cannot tell: whether a power law holds. The interval is that of the seeds, not of a
    curvature over the sizes tried, and the spread is taken as equal at all sizes.

        exponent([8, 16, 32], {8: [60, 70], 16: [180, 160], 32: [400, 512]},
                 censored={32: [False, True]})
    """
    points = _read(sizes, thresholds, censored)
    if min(points.counts) < FEWEST or points.exact_sizes < 2:
        return _by_likelihood(points, confidence)
    s, a = _fit(points, np.ones((1, points.x.size)))
    generator = np.random.default_rng(seed)
    drawn = [generator.multinomial(m, np.full(m, 1 / m), size=draws) for m in points.counts]
    resampled, _ = _fit(points, np.concatenate(drawn, axis=1).astype(np.float64))
    low, high = percentile_ends(resampled, _widened(confidence, points.counts))
    return _slope(points, float(s[0]), float(a[0]), low, high)


def _slope(points: _Points, s: float, a: float, low: float, high: float) -> Slope:
    """Ends around the value, and the intercept where the sizes are not centred."""
    x, y = points.centre
    intercept = y + a - s * x if np.isfinite(s) else np.nan
    if not np.isnan(s):
        low, high = min(low, s), max(high, s)
    return Slope(s, low, high, min(points.counts), float(intercept))


def _widened(confidence: float, counts: tuple[int, ...]) -> float:
    """The nominal confidence whose percentile interval of normal data has the true one.

    Resampling m seeds has the variance (m − 1)/m of theirs, and its tails are not Student's.
    """
    m, left = min(counts), sum(counts) - len(counts)
    wanted = student.ppf((1 + confidence) / 2, left) * (m / (m - 1)) ** 0.5
    return float(2 * norm.cdf(wanted) - 1)


def _fit(points: _Points, weight: Floats) -> tuple[Floats, Floats]:
    """Slope and level at the centre for each row of multiplicities; NaN or ±inf if unbounded."""
    s, a, spread = _least_squares(points, weight)
    if not points.side.any():
        return s, a
    start = np.stack([a / spread, s / spread, 1 / spread], axis=1)
    open_up, open_down = _open_ends(points, weight)
    bounded = ~(open_up | open_down)
    if bounded.any():
        problem = Tobit.of(points.rows, points.side, weight[bounded])
        p = problem.maximum(start[bounded])
        s[bounded], a[bounded] = p[:, 1] / p[:, 2], p[:, 0] / p[:, 2]
    s[~bounded] = np.where(open_up, np.where(open_down, np.nan, np.inf), -np.inf)[~bounded]
    a[~bounded] = np.nan
    return s, a


def _least_squares(points: _Points, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """Slope, level and residual spread with every bound at face value."""
    total = weight.sum(axis=1)
    x, y = weight @ points.x / total, weight @ points.y / total
    s = (weight @ (points.x * points.y) / total - x * y) / (weight @ points.x**2 / total - x**2)
    a = y - s * x
    residual = points.y - a[:, None] - s[:, None] * points.x
    return s, a, np.sqrt((weight * residual**2).sum(axis=1) / total + 1e-4)


def _open_ends(points: _Points, weight: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether the likelihood stays high as the slope goes to +inf and to −inf.

    Exact values at two sizes hold the slope; exact values at one leave it to turn around that
    size until a bound stops it; without exact values nothing is decided here, and both are open.
    """
    present = weight > 0
    exact = present & (points.side == 0)
    least = np.where(exact, points.x, np.inf).min(axis=1)
    most = np.where(exact, points.x, -np.inf).max(axis=1)
    none, held = ~exact.any(axis=1), least < most
    pivot = np.where(none, 0.0, least)[:, None]
    push = present * points.side * np.sign(points.x - pivot)
    up = none | ~(held | (push < 0).any(axis=1))
    down = none | ~(held | (push > 0).any(axis=1))
    return up, down


def _by_likelihood(points: _Points, confidence: float) -> Slope:
    """The maximum and the likelihood-ratio interval, when there is nothing to resample."""
    ones = np.ones((1, points.x.size))
    s, a, spread = _least_squares(points, ones)
    problem = Tobit.of(points.rows, points.side, ones)
    p = problem.maximum(np.stack([a / spread, s / spread, 1 / spread], axis=1))
    s, a, best = p[:, 1] / p[:, 2], p[:, 0] / p[:, 2], problem.value(p)[0]
    far_down, far_up = _profile(points, np.array([-FAR, FAR]))
    best = max(best, far_down, far_up)
    up, down = far_up > best - SAME, far_down > best - SAME
    value = _peak(float(s[0]), bool(up), bool(down))
    drop = _drop(points, confidence)
    inside = float(np.clip(value, -FAR, FAR)) if not np.isnan(value) else 0.0
    low, high = (_end(points, inside, end, best - drop) for end in (-FAR, FAR))
    if np.isinf([value, low, high]).all():
        value = np.nan
    return _slope(points, value, float(a[0]), low, high)


def _peak(slope: float, up: bool, down: bool) -> float:
    """The slope found; ±inf where the likelihood does not fall that way, NaN where it is flat.

    Bounds alone that contradict one another are best explained by an endless spread, around any
    line: then the slope found is beyond FAR.
    """
    if up != down:
        return np.inf if up else -np.inf
    return np.nan if up or abs(slope) > FAR else slope


def _drop(points: _Points, confidence: float) -> float:
    """How far log L may lie under its maximum inside the interval.

    (n/2) log(1 + t²/ν) makes it the t interval of least squares, n exact values with ν left over.
    """
    n = int(np.sum(points.side == 0))
    if n == 0:
        return float(chi2.ppf(confidence, 1) / 2)
    left = n - points.exact_sizes if points.exact_sizes < 2 else n - 2
    if left < 1:
        return np.inf
    return float(n / 2 * np.log1p(student.ppf((1 + confidence) / 2, left) ** 2 / left))


def _end(points: _Points, inside: float, end: float, level: float) -> float:
    """Where the profile, which falls from `inside` to `end`, comes down to `level`."""
    if _profile(points, np.array([end]))[0] >= level:
        return float(np.copysign(np.inf, end))
    outside = end
    for _ in range(7):  # each narrows it 32-fold: to 1e-8 from FAR
        grid = np.linspace(inside, outside, 33)
        first = int(np.argmax(_profile(points, grid[1:]) < level))
        inside, outside = grid[first], grid[first + 1]
    return float(outside)


def _profile(points: _Points, slopes: Floats) -> Floats:
    """The maximum of log L over level and spread at given slopes."""
    rest = points.y - slopes[:, None] * points.x
    rows = np.stack([-np.ones_like(rest), rest], axis=2)
    problem = Tobit.of(rows, points.side, np.ones((1, points.x.size)))
    start = np.stack([rest.mean(axis=1), np.ones(slopes.size)], axis=1)
    return problem.value(problem.maximum(start / (rest.std(axis=1) + 1e-2)[:, None]))


def _read(
    sizes: Sequence[float],
    thresholds: Mapping[Any, ArrayLike] | Sequence[ArrayLike],
    censored: Mapping[Any, ArrayLike] | Sequence[ArrayLike] | None,
) -> _Points:
    d = np.asarray(sizes, np.float64)
    if d.ndim != 1 or len(set(d.tolist())) != d.size or d.size < 2 or not _positive(d):
        raise InvalidInputError(
            "A slope needs at least two different sizes, positive and finite; "
            f"got {d.tolist()}. Give each size once."
        )
    values = [_values(size, v) for size, v in zip(sizes, _listed(sizes, thresholds), strict=True)]
    marks = [False] * d.size if censored is None else _listed(sizes, censored, False)
    side = [_sides(*each) for each in zip(sizes, values, marks, strict=True)]
    counts = tuple(v.size for v in values)
    x, y = np.repeat(np.log(d), counts), np.log(np.concatenate(values))
    centre = float(x.mean()), float(y.mean())
    return _Points(x - centre[0], y - centre[1], np.concatenate(side), counts, centre)


def _listed(sizes: Sequence[float], given: Any, missing: Any = None) -> list[Any]:
    """What is given for each size, in the order of `sizes`."""
    if isinstance(given, Mapping):
        found = [given.get(size, missing) for size in sizes]
        if not any(each is None for each in found):
            return found
        absent = [size for size, each in zip(sizes, found, strict=True) if each is None]
        raise InvalidInputError(f"There are no thresholds for the sizes {absent}. Give some.")
    if len(given) != len(sizes):
        raise InvalidInputError(
            f"Got {len(given)} groups of seeds for {len(sizes)} sizes. Give one for each size."
        )
    return list(given)


def _values(size: float, given: ArrayLike) -> Floats:
    values = np.atleast_1d(np.asarray(given, np.float64))
    if values.ndim != 1 or values.size == 0 or not _positive(values):
        raise InvalidInputError(
            f"Thresholds must be positive and finite, and at size {size:g} they are "
            f"{values.tolist()}. For a seed that never got there, give the largest size tried and "
            "mark it in censored=."
        )
    return values


def _sides(size: float, values: Floats, given: ArrayLike) -> NDArray[np.int64]:
    marks = np.asarray(given)
    marks = np.full(values.size, marks) if marks.ndim == 0 else marks
    known = marks.dtype == bool or set(marks.tolist()) <= set(SIDES)
    if marks.shape != values.shape or not known:
        raise InvalidInputError(
            f'Marks of censoring are True or False, or "", "above" or "below", one for each seed; '
            f"at size {size:g} there are {values.size} seeds and the marks {marks.tolist()}."
        )
    if marks.dtype == bool:
        return marks.astype(np.int64)
    return np.array([SIDES[mark] for mark in marks.tolist()], np.int64)


def _positive(values: Floats) -> bool:
    return bool(np.isfinite(values).all() and (values > 0).all())
