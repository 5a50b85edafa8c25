"""Slow reference: the re-parameterised network of the hierarchy paper, neuron by neuron."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class SlowNetwork(NamedTuple):
    """F(x), and S_0, …, S_L."""

    output: np.ndarray
    features: list[np.ndarray]


def slow_hierarchical(
    W: Sequence[np.ndarray],
    K: Sequence[np.ndarray],
    R: Sequence[np.ndarray],
    alphas: Sequence[float],
    graph: Sequence[Sequence[int]],
    x: np.ndarray,
    *,
    mean_square: float = 1.0,
    cut: float = np.inf,
) -> SlowNetwork:
    """S_ℓ = Σ_j K_{ℓ,j} σ̃(R_j S_j), F_ℓ = σ(the same with W), F = Σ α_ℓ Sum(F_ℓ), by loops.

    Entry i of W, K, R, alphas and graph belongs to layer i + 2; levels 0 and 1 are read as they
    are. σ̃ is z² up to `cut` and its ramp beyond.
    """
    rows = [_one_point(W, K, R, alphas, graph, row, mean_square, cut) for row in x]
    features = [np.stack([s[level] for _, s in rows]) for level in range(len(graph) + 2)]
    return SlowNetwork(np.array([out for out, _ in rows]), features)


def _one_point(
    W: Sequence[np.ndarray],
    K: Sequence[np.ndarray],
    R: Sequence[np.ndarray],
    alphas: Sequence[float],
    graph: Sequence[Sequence[int]],
    x: np.ndarray,
    mean_square: float,
    cut: float,
) -> tuple[float, list[np.ndarray]]:
    S = [x, np.array([v * v - mean_square for v in x])]
    read, total = list(S), 0.0
    for i, row in enumerate(graph):
        values = [v for j in row for v in read[j]]
        for w in W[i]:
            total += alphas[i] * sum(a * v for a, v in zip(w, values, strict=True)) ** 2
        S.append(np.array([sum(a * v for a, v in zip(k, values, strict=True)) for k in K[i]]))
        read.append(np.array([_truncated(float(r @ S[-1]), cut) for r in R[i]]))
    return total, S


def _truncated(z: float, cut: float) -> float:
    if abs(z) <= cut:
        return z * z
    u = min(abs(z) / cut - 1, 1.0)
    return cut**2 * (1 + 2 * u + u**2 - 10 / 3 * u**3 + 1.5 * u**4)
