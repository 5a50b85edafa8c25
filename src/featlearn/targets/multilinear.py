"""Sums of products of different coordinates, and their moments.

    f(x) = Σ_S c_S Π_{i ∈ S} x_i

Where the coordinates are independent with mean 0 and variance 1, the products are orthonormal:

    E f = c_∅     E f² = Σ c_S²     E ∂_i f = c_{i}     E ∂_i ∂_j f = c_{i, j}
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from featlearn.inputs import Hypercube, Inputs, Patches

Multilinear = Mapping[tuple[int, ...], float]  # {sorted coordinates: coefficient}


def times(first: Multilinear, second: Multilinear) -> Multilinear | None:
    """Their product; None where a coordinate would be squared."""
    found: dict[tuple[int, ...], float] = {}
    for a, c in first.items():
        for b, e in second.items():
            if set(a) & set(b):
                return None
            term = tuple(sorted(a + b))
            found[term] = found.get(term, 0.0) + c * e
    return found


def combined(parts: Sequence[tuple[float, Multilinear]]) -> Multilinear:
    """Σ factor · part"""
    found: dict[tuple[int, ...], float] = {}
    for factor, part in parts:
        for term, c in part.items():
            found[term] = found.get(term, 0.0) + factor * c
    return found


def moved(part: Multilinear, by: int) -> Multilinear:
    """The same function of the coordinates that lie `by` further on."""
    return {tuple(i + by for i in term): c for term, c in part.items()}


def moments(outputs: Sequence[Multilinear], dim: int, inputs: Inputs) -> dict[str, Any]:
    """Moments of several outputs, where the products are orthonormal; else nothing."""
    if not unit_coordinates(inputs):
        return {}
    k = len(outputs)
    linear, hessian = np.zeros((dim, k)), np.zeros((dim, dim, k))
    for column, f in enumerate(outputs):
        for term, c in f.items():
            if len(term) == 1:
                linear[term[0], column] = c
            if len(term) == 2:
                i, j = term
                hessian[i, j, column] = hessian[j, i, column] = c
    return {
        "mean": np.array([f.get((), 0.0) for f in outputs]),
        "second_moment": np.array([sum(c**2 for c in f.values()) for f in outputs]),
        "linear": linear,
        "hessian": hessian,
    }


def unit_coordinates(inputs: Inputs) -> bool:
    """Whether coordinates are known to be independent with mean 0 and variance 1."""
    if isinstance(inputs, Patches):
        return unit_coordinates(inputs.patch)
    return isinstance(inputs, Hypercube) or inputs.standard
