"""A dense network with quadratic activation and its gradient, neuron by neuron in float64."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def slow_dense(
    layers: Sequence[Sequence[Any]], heads: Sequence[Any], graph: Sequence[Sequence[int]], x: Any
) -> float:
    """Σ_ℓ a_ℓᵀ F_ℓ(x) at one point, F_ℓ = (Σ_j W_{ℓ,j} F_j)², F_0 = x, written out.

    layers   W_{ℓ,j} for each layer, in the order of its sources
    graph    the layers that each reads, 0 being x

        slow_dense([[W_10], [W_20, W_21]], [a_1, a_2], [[0], [0, 1]], x)
    """
    return float(_run(layers, heads, graph, x)[0])


def slow_dense_gradient(
    layers: Sequence[Sequence[Any]], heads: Sequence[Any], graph: Sequence[Sequence[int]], x: Any
) -> list[list[np.ndarray]]:
    """∂f/∂W_{ℓ,j} at one point, by the chain rule from the last layer down:

    D_ℓ = a_ℓ + Σ_{i > ℓ} W_{i,ℓ}ᵀ (2 S_i D_i),    ∂f/∂W_{ℓ,j} = (2 S_ℓ D_ℓ) F_jᵀ.
    """
    _, before, outputs = _run(layers, heads, graph, x)
    pull = [np.zeros_like(outputs[0])] + [np.array(a, np.float64) for a in heads]
    found: list[list[np.ndarray]] = [[] for _ in layers]
    for level in reversed(range(1, len(outputs))):
        weights, sources = layers[level - 1], graph[level - 1]
        down = 2 * before[level] * pull[level]
        for w, j in zip(weights, sources, strict=True):
            found[level - 1].append(np.outer(down, outputs[j]))
            pull[j] = pull[j] + np.asarray(w, np.float64).T @ down
    return found


def _run(layers: Any, heads: Any, graph: Any, x: Any) -> tuple[float, list, list]:
    outputs = [np.asarray(x, np.float64)]
    before, total = [outputs[0]], 0.0
    for weights, head, sources in zip(layers, heads, graph, strict=True):
        s = np.zeros(len(head))
        for w, j in zip(weights, sources, strict=True):
            for i in range(len(head)):
                s[i] += sum(float(w[i][c]) * outputs[j][c] for c in range(len(outputs[j])))
        before.append(s)
        outputs.append(s**2)
        total += sum(float(a) * float(f) for a, f in zip(head, s**2, strict=True))
    return total, before, outputs
