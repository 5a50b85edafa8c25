"""Slow reference of infinitely wide convolutional ReLU networks, position by position."""

from typing import Any, NamedTuple

import numpy as np


class PairOfImages(NamedTuple):
    """The conjugate kernel and the NTK of one pair of images."""

    covariance: float
    tangent: float


def convolutional_reference(
    x: Any,
    y: Any,
    *,
    depth: int,
    filter_size: int,
    padding: str,
    readout: str,
    weight_variance: float,
    bias_variance: float,
) -> PairOfImages:
    """The recursions of `featlearn.kernels.convolutional` for two images (H, W, C).

    Loops in NumPy over all pairs of positions and all of a filter, with angles by arccos: about
    1e-8 is lost where two positions coincide.
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    shape = x.shape[:2]
    cells = list(np.ndindex(*shape))

    def neighbours(p: tuple[int, ...]) -> list[tuple[int, ...] | None]:
        reach = filter_size // 2
        found: list[tuple[int, ...] | None] = []
        for i in range(-reach, reach + 1):
            for j in range(-reach, reach + 1):
                r = (p[0] + i, p[1] + j)
                inside = 0 <= r[0] < shape[0] and 0 <= r[1] < shape[1]
                wrapped = (r[0] % shape[0], r[1] % shape[1])
                found.append(r if inside else wrapped if padding == "circular" else None)
        return found

    near = {p: neighbours(p) for p in cells}

    def average(table: dict[Any, float]) -> dict[Any, float]:
        return {
            (p, s): sum(
                table[a, b]
                for a, b in zip(near[p], near[s], strict=True)
                if a is not None and b is not None
            )
            / filter_size**2
            for p in cells
            for s in cells
        }

    def layer(u: np.ndarray, v: np.ndarray) -> dict[Any, float]:
        inner = {(p, s): float(u[p] @ v[s]) / u.shape[-1] for p in cells for s in cells}
        return _affine(average(inner), weight_variance, bias_variance)

    both, a, b = layer(x, y), layer(x, x), layer(y, y)
    tangent = dict(both)
    for count in range(depth):
        expected = {}
        passed = {}
        for p, s in both:
            value, slope = _relu(a[p, p], b[s, s], both[p, s])
            expected[p, s], passed[p, s] = value, slope * tangent[p, s]
        if count < depth - 1:
            both = _affine(average(expected), weight_variance, bias_variance)
            through = average(passed)
            tangent = {k: both[k] + weight_variance * through[k] for k in both}
            a, b = (_next(table, average, weight_variance, bias_variance) for table in (a, b))
    pairs = list(both) if readout == "pool" else [(p, p) for p in cells]
    covariance = weight_variance * np.mean([expected[k] for k in pairs]) + bias_variance
    return PairOfImages(
        float(covariance),
        float(covariance + weight_variance * np.mean([passed[k] for k in pairs])),
    )


def _affine(table: dict[Any, float], weight: float, bias: float) -> dict[Any, float]:
    return {k: weight * v + bias for k, v in table.items()}


def _next(table: dict[Any, float], average: Any, weight: float, bias: float) -> dict[Any, float]:
    through = {(p, s): _relu(table[p, p], table[s, s], table[p, s])[0] for p, s in table}
    return _affine(average(through), weight, bias)


def _relu(a: float, b: float, c: float) -> tuple[float, float]:
    """E relu(u) relu(v) and E 1[u>0] 1[v>0]."""
    length = np.sqrt(a * b)
    angle = np.arccos(np.clip(c / length, -1, 1)) if length else np.pi / 2
    both = length * (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / (2 * np.pi)
    return float(both), float((np.pi - angle) / (2 * np.pi))
