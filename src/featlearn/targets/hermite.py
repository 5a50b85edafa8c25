"""Polynomials of r coordinates in the Hermite basis, and what is known of them.

    g(z) = Σ_a c_a He_a(z),   He_a(z) = Π_j He_{a_j}(z_j),   a = (a_1, …, a_r)

He_k are the probabilists' polynomials: He_{k+1} = z He_k − k He_{k−1}, He_k' = k He_{k−1}, and
under z ~ N(0, I)

    E He_a He_b = a! δ_ab          E g  = c_0          E g² = Σ_a c_a² a!          E ∂^b g = b! c_b

with a! = Π_j a_j!. Functions that take `coefficients` work on NumPy and on traced arrays, unless
they decide something (a rank, an exponent): these need numbers.
"""

from collections.abc import Sequence
from functools import reduce
from math import factorial, prod
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

Indices = tuple[tuple[int, ...], ...]
ZERO = 1e-6  # coefficients below this part of √(E g²) are rounding of float32 directions


def table(z: Any, highest: int) -> list[Any]:
    """He_0(z), …, He_highest(z)."""
    rows = [0 * z + 1, z]
    for k in range(1, highest):
        rows.append(z * rows[k] - k * rows[k - 1])
    return rows[: highest + 1]


def evaluate(z: Float[Array, "n r"], indices: Indices, coefficients: Any) -> Float[Array, "n"]:
    """g(z), in the dtype of z."""
    rows = table(z, max(max(a) for a in indices))
    total = 0 * z[..., 0]
    for a, c in zip(indices, coefficients, strict=True):
        factors = [rows[k][..., j] for j, k in enumerate(a) if k]
        total = total + reduce(lambda p, q: p * q, factors, c)
    return total


def factorials(indices: Indices) -> np.ndarray:
    """a! = E He_a² for each multi-index."""
    return np.array([prod(factorial(k) for k in a) for a in indices], dtype=np.float64)


def mean(indices: Indices, coefficients: Any) -> Any:
    """E g = c_0."""
    return _coefficient(indices, coefficients, (0,) * len(indices[0]))


def second_moment(indices: Indices, coefficients: Any) -> Any:
    """E g² = Σ c_a² a!."""
    return (coefficients**2 * factorials(indices)).sum()


def gradient(indices: Indices, coefficients: Any) -> list[Any]:
    """E ∇g, (r,)."""
    r = len(indices[0])
    return [_coefficient(indices, coefficients, _unit(r, j)) for j in range(r)]


def hessian(indices: Indices, coefficients: Any) -> list[list[Any]]:
    """H = E ∇²g, (r, r): 2 c_{2e_j} on the diagonal and c_{e_j + e_k} off it."""
    r = len(indices[0])
    return [
        [(1 + (j == k)) * _coefficient(indices, coefficients, _unit(r, j, k)) for k in range(r)]
        for j in range(r)
    ]


def derivative(indices: Indices, coefficients: Any, j: int) -> tuple[Indices, Any]:
    """∂_j g = Σ_a a_j c_a He_{a − e_j}; the zero polynomial keeps one index."""
    terms = [(a, c) for a, c in zip(indices, coefficients, strict=True) if a[j]]
    if not terms:
        return ((0,) * len(indices[0]),), np.zeros(1)
    lower = tuple((*a[:j], a[j] - 1, *a[j + 1 :]) for a, _ in terms)
    return lower, stacked([a[j] * c for a, c in terms], coefficients)


def gradient_gram(indices: Indices, coefficients: np.ndarray) -> np.ndarray:
    """E ∇g ∇gᵀ, (r, r); its range holds the directions that g depends on."""
    r = len(indices[0])
    parts = [dict(zip(*derivative(indices, coefficients, j), strict=True)) for j in range(r)]
    gram = np.zeros((r, r))
    for j, first in enumerate(parts):
        for k, second in enumerate(parts):
            shared = tuple(first.keys() & second.keys())
            for b, size in zip(shared, factorials(shared), strict=True):
                gram[j, k] += first[b] * second[b] * size
    return gram


def support(indices: Indices, coefficients: np.ndarray) -> Indices:
    """The multi-indices with a non-zero coefficient."""
    sizes = np.abs(coefficients) * np.sqrt(factorials(indices))
    least = ZERO * np.linalg.norm(sizes)
    return tuple(a for a, size in zip(indices, sizes, strict=True) if size > least)


def information_exponent(indices: Indices, coefficients: np.ndarray) -> int | None:
    """The lowest degree k ≥ 1 of which g has a part; None for a constant."""
    return min((sum(a) for a in support(indices, coefficients) if any(a)), default=None)


def leap(indices: Indices, coefficients: np.ndarray) -> int | None:
    """Leap complexity (Abbe, Boix-Adserà, Misiakiewicz, arXiv:2302.11055) in these coordinates.

    Monomials are learned one after another; the price of a is Σ a_j over its coordinates j that
    no earlier monomial had (multiplicity counts), and the leap is the highest price on the
    cheapest order. Always taking the cheapest next monomial is optimal, since prices only fall
    as coordinates become known. Another orthonormal basis of the same subspace may give another
    leap; the largest over all bases (isotropic leap) is at least this one.
    """
    left = [a for a in support(indices, coefficients) if any(a)]
    known: set[int] = set()
    highest = 0
    while left:
        prices = [sum(k for j, k in enumerate(a) if j not in known) for a in left]
        cheapest = int(np.argmin(prices))
        highest = max(highest, prices[cheapest])
        known |= {j for j, k in enumerate(left.pop(cheapest)) if k}
    return highest or None


def rewrite(
    indices: Indices,
    coefficients: np.ndarray,
    matrix: Float[np.ndarray, "r q"],
    shift: Float[np.ndarray, "r"] | float = 0.0,
) -> tuple[Indices, np.ndarray]:
    """The same polynomial in other coordinates: w ↦ g(shift + matrix w), in the Hermite basis of w.

    c_b = E[g(shift + matrix w) He_b(w)] / b!, one coordinate of w after another by Gauss–Hermite
    quadrature with p + 1 nodes, which is exact at degree 2p. Costs (p + 1)^(q + 1).
    """
    degree = max(sum(a) for a in indices)
    q = matrix.shape[1]
    nodes, weights = np.polynomial.hermite_e.hermegauss(degree + 1)
    weights = weights / weights.sum()
    grid = np.stack(np.meshgrid(*[nodes] * q, indexing="ij"), axis=-1)
    values = np.asarray(evaluate(grid @ matrix.T + shift, indices, coefficients))
    project = np.stack([row * weights for row in table(nodes, degree)])
    project = project / np.array([[factorial(k)] for k in range(degree + 1)])
    for _ in range(q):  # the leading axis goes to the end, so that each has its turn
        values = np.tensordot(values, project, axes=([0], [1]))
    kept = [b for b in np.ndindex(values.shape) if sum(b) <= degree]
    return tuple(kept), np.array([values[b] for b in kept])


def rewriting_size(indices: Indices, coordinates: int) -> int:
    """Points at which `rewrite` evaluates the polynomial."""
    return int((max(sum(a) for a in indices) + 1) ** coordinates)


def stacked(values: Sequence[Any], reference: Any) -> Any:
    """The values as an array of NumPy, or of JAX if `reference` is one of JAX."""
    xp = np if isinstance(reference, np.ndarray) else jnp
    return xp.stack([xp.asarray(v, reference.dtype) for v in values])


def _unit(r: int, *where: int) -> tuple[int, ...]:
    return tuple(where.count(j) for j in range(r))


def _coefficient(indices: Indices, coefficients: Any, a: tuple[int, ...]) -> Any:
    return coefficients[indices.index(a)] if a in indices else 0.0
