"""Information exponent and leap of a teacher under N(0, I).

For a unit vector v the degree-k Hermite part f_k has ⟨f_k, v^k⟩ ∝ E f(x) He_k(⟨v, x⟩). The
average over ⟨v, x⟩ is taken by quadrature and only the one over the rest of x by draws.
"""

from math import factorial

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.inputs import Inputs
from featlearn.targets import Facts, Target
from featlearn.testing.bands import band_of, check_estimate, require
from featlearn.testing.expansion import hermite_expansion, leap_by_search

AXES = 6  # directions v
DRAWS = 2000
NODES = 24  # exact up to degree 47
ZERO = 1e-6  # of the size of f: smaller Hermite parts are rounding of float32 directions
MOST_POINTS = 10**5  # of the grid that a leap is searched on


def check_information_exponent(
    target: Target,
    facts: Facts,
    inputs: Inputs,
    x: Float[Array, "n d"],
    w: Float[Array, "n d"],
) -> None:
    """No part of degree 1 … k − 1, and one of degree k."""
    k = facts.information_exponent
    if k is None:
        return
    require(inputs.standard, "information_exponent: declared under a law that is not N(0, I).")
    require(k >= 1, f"information_exponent: {k} declared, and it is at least 1.")
    slack = ZERO * _size(target, x)
    parts = _hermite_parts(target, x[:DRAWS], _axes(facts, w), k)
    for j in range(1, k):
        name = f"information_exponent: {k} declared; the part of degree {j}"
        average, stderr = _average(parts[j - 1])
        check_estimate(name, average, stderr, np.zeros(average.shape), slack=slack)
    average, stderr = _average(parts[-1])
    require(
        np.any(np.abs(average) > band_of(average.size) * stderr + slack),
        f"information_exponent: {k} declared, and the part of degree {k} is not to be seen.",
    )


def check_leap(target: Target, facts: Facts) -> None:
    """The leap in the coordinates of the declared subspace, and its order among the exponents."""
    leap, exponent, degree, u = (
        facts.leap,
        facts.information_exponent,
        facts.degree,
        facts.subspace,
    )
    if leap is None:
        return
    require(leap >= (exponent or 1), f"leap: {leap} is below the information exponent {exponent}.")
    require(degree is None or leap <= degree, f"leap: {leap} is above the degree {degree}.")
    if u is None or degree is None or (degree + 1) ** u.shape[1] > MOST_POINTS:
        return
    expansion = hermite_expansion(lambda z: target(jnp.asarray(z @ u.T)), u.shape[1], degree)
    found = leap_by_search(expansion)
    require(
        leap == found,
        f"leap: {leap} declared, and it is {found} in the coordinates of the subspace.",
    )


def _hermite_parts(target: Target, x: Array, axes: np.ndarray, highest: int) -> list[np.ndarray]:
    """For each degree 1 … highest, E_t f(x + (t − ⟨v, x⟩) v) He_k(t)/√k!: (n, axes · k)."""
    t, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / weights.sum()
    values = []
    for v in axes:
        base = x - (x @ v)[:, None] * v
        values.append(np.stack([np.asarray(target(base + step * v)) for step in t]))
    table = np.stack(values)  # (axes, nodes, n, *k)
    parts = []
    for k in range(1, highest + 1):
        he = np.polynomial.hermite_e.hermeval(t, [0.0] * k + [1.0]) / factorial(k) ** 0.5
        part = np.moveaxis(np.tensordot(weights * he, table, axes=([0], [1])), 1, 0)
        parts.append(part.reshape(len(x), -1))
    return parts


def _average(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return draws.mean(axis=0), draws.std(axis=0) / np.sqrt(len(draws))


def _axes(facts: Facts, w: Float[Array, "n d"]) -> np.ndarray:
    """Unit vectors; inside the subspace if it is declared, where there is something to see."""
    v = np.asarray(w[-AXES:])
    if facts.subspace is not None:
        u = np.asarray(facts.subspace)
        v = v @ u @ u.T
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def _size(target: Target, x: Array) -> float:
    return float(jnp.sqrt(jnp.mean(target(x[:DRAWS]) ** 2)))
