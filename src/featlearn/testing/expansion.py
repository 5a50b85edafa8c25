"""Slow references: the Hermite coefficients of any function, and the leap by exhaustive search."""

from collections.abc import Callable, Mapping
from itertools import combinations
from math import factorial, prod
from typing import Any

import numpy as np

Expansion = dict[tuple[int, ...], float]


def hermite_expansion(
    g: Callable[[np.ndarray], Any], coordinates: int, degree: int, *, zero: float = 1e-6
) -> Expansion:
    """{a: c_a} of g(z) = Σ c_a He_a(z) up to `degree`, from values of g on a full grid.

        c_a = E[g(z) He_a(z)] / a!,   z ~ N(0, I)

    by Gauss–Hermite quadrature with degree + 1 nodes a coordinate: exact for polynomials, and
    (degree + 1)^coordinates evaluations. Terms below `zero` of √(E g²) are left out.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(degree + 1)
    grid = np.stack(np.meshgrid(*[nodes] * coordinates, indexing="ij"), -1)
    grid = grid.reshape(-1, coordinates)
    mass = _products(weights / weights.sum(), coordinates)
    values = np.asarray(g(grid), np.float64)
    size = np.sqrt(np.sum(mass * values**2))
    terms = {}
    for a in np.ndindex(*[degree + 1] * coordinates):
        square = prod(factorial(k) for k in a)
        he = np.prod([_hermite(k, grid[:, j]) for j, k in enumerate(a)], axis=0)
        c = float(np.sum(mass * values * he)) / square
        if sum(a) <= degree and abs(c) * square**0.5 > zero * size:
            terms[a] = c
    return terms


def leap_by_search(expansion: Mapping[tuple[int, ...], float]) -> int | None:
    """The leap of Σ c_a He_a by trying every set of known coordinates; None for a constant.

    With leaps of at most L allowed, the sets of coordinates that can become known are found one
    from another until none is new; the leap is the least L with which all monomials are learned.
    """
    terms = [a for a in expansion if any(a)]
    used = {j for a in terms for j, k in enumerate(a) if k}
    highest = max((sum(a) for a in terms), default=0)
    return next((L for L in range(1, highest + 1) if used in _reachable(terms, used, L)), None)


def _reachable(terms: list[tuple[int, ...]], used: set[int], leap: int) -> list[set[int]]:
    sets = [set(c) for size in range(len(used) + 1) for c in combinations(sorted(used), size)]
    reached: list[set[int]] = [set()]
    for candidate in sets:  # smaller sets come first, so one pass is enough
        if candidate not in reached and any(
            _one_step(known, candidate, terms, leap) for known in reached if known < candidate
        ):
            reached.append(candidate)
    return reached


def _one_step(known: set[int], wanted: set[int], terms: list[tuple[int, ...]], leap: int) -> bool:
    for a in terms:
        new = {j for j, k in enumerate(a) if k and j not in known}
        if known | new == wanted and sum(a[j] for j in new) <= leap:
            return True
    return False


def _products(weights: np.ndarray, coordinates: int) -> np.ndarray:
    mass = np.ones(1)
    for _ in range(coordinates):
        mass = np.outer(mass, weights).ravel()
    return mass


def _hermite(k: int, z: np.ndarray) -> np.ndarray:
    return np.polynomial.hermite_e.hermeval(z, [0.0] * k + [1.0])
