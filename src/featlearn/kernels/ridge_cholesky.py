"""Ridge on a Gram matrix by a Cholesky decomposition for each λ, on a few λ of the grid.

    A + λI = L Lᵀ,    α(λ) = L⁻ᵀ L⁻¹ y/n,    A = K/n

costs n³/3 for each λ and holds one factor, where a full decomposition costs 9n³ and more and
does not use a GPU well. So λ is searched for: every s-th of the grid first, then the neighbours
of the best at distance s/2, s/4 … 1. Each error is a real one, computed as for every other λ;
of the λ that were passed over the record holds NaN.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.lax import linalg
from jaxtyping import Array, Float, Int

from featlearn.decompositions import one_by_one
from featlearn.kernels._shifted import ROUNDING
from featlearn.kernels.ridge import RidgePath, condition_bound, least, weights

COARSE = 8  # about so many λ are tried before the neighbours of the best


class Tried(NamedTuple):
    """Errors by ascending λ, NaN where not computed, and the coefficients of the best so far."""

    errors: Float[Array, "l"]
    best: Float[Array, ""]
    coefficients: Float[Array, "n k"]


def ridge_cholesky(
    gram: Float[Array, "n n"],
    y: Float[Array, "n k"],
    cross_gram: Float[Array, "v n"],
    y_validation: Float[Array, "v k"],
    penalties: Float[Array, "l"] | tuple[float, ...],
    weight: Float[Array, "n"] | None = None,
    weight_validation: Float[Array, "v"] | None = None,
) -> RidgePath:
    """Like `ridge_dual`, on the λ that the search visits; ε-floor and weights are the same."""
    lambdas = jnp.asarray(penalties, jnp.float64)
    order = jnp.argsort(lambdas)
    w, v = weights(weight, gram.shape[0]), weights(weight_validation, y_validation.shape[0])
    n, n_v = jnp.maximum(w.sum(), 1.0), jnp.maximum(v.sum(), 1.0)
    matrix = gram.astype(jnp.float64) * w[:, None] * (w / n)[None, :]
    right = y.astype(jnp.float64) * (w / n)[:, None]
    norm = jnp.sqrt(jnp.sum(matrix**2))
    rounding = gram.shape[0] * ROUNDING * norm
    floored = jnp.maximum(lambdas[order], rounding)

    def attempt(place: Array) -> tuple[Array, Array]:
        alpha = solve_shifted(matrix, right, floored[place])
        missed = (cross_gram.astype(jnp.float64) @ alpha - y_validation) ** 2
        return alpha, v @ missed.sum(axis=1) / n_v

    tried = search(attempt, lambdas.shape[0], right)
    place = least(tried.errors)
    used = jnp.maximum(w.sum() - floored[place] * inverse_trace(matrix, floored[place], w), 0.0)
    return RidgePath(
        coefficients=tried.coefficients,
        penalty=lambdas[order[place]],
        index=order[place],
        penalties=lambdas,
        validation=jnp.zeros_like(lambdas).at[order].set(tried.errors),
        grid_edge=edge(tried.errors),
        effective_dimension=used,
        rounding=rounding,
        condition=condition_bound(norm, floored[place], w.sum(), used),
    )


def search(
    attempt: Callable[[Int[Array, ""]], tuple[Array, Array]], count: int, like: Array
) -> Tried:
    """Coarse to fine over places 0 … count − 1 of a grid in order."""
    stride = max(1 << (max(count // COARSE, 1).bit_length() - 1), 1)
    start = Tried(jnp.full(count, jnp.nan), jnp.asarray(jnp.inf), jnp.zeros_like(like))
    coarse = jnp.asarray([*range(0, count - 1, stride), count - 1])

    def visit(tried: Tried, place: Array) -> tuple[Tried, None]:
        done = ~jnp.isnan(tried.errors[place])
        return jax.lax.cond(done, lambda: tried, lambda: _after(tried, place, attempt)), None

    tried = jax.lax.scan(visit, start, coarse)[0]
    while stride > 1:
        stride //= 2
        best = least(tried.errors)
        beside = jnp.clip(jnp.stack([best - stride, best + stride]), 0, count - 1)
        tried = jax.lax.scan(visit, tried, beside)[0]
    return tried


def _after(tried: Tried, place: Array, attempt: Callable[[Array], tuple[Array, Array]]) -> Tried:
    alpha, error = attempt(place)
    error = jnp.where(jnp.isfinite(error), error, jnp.inf)
    better = error < tried.best
    return Tried(
        errors=tried.errors.at[place].set(error),
        best=jnp.minimum(error, tried.best),
        coefficients=jnp.where(better, alpha, tried.coefficients),
    )


def edge(errors: Float[Array, "l"]) -> Int[Array, ""]:
    """−1 where nothing was computed below the best λ, +1 where nothing above, else 0."""
    known = jnp.isfinite(errors)
    places, best = jnp.arange(errors.shape[0]), least(errors)
    low = ~jnp.any(known & (places < best))
    high = ~jnp.any(known & (places > best))
    return jnp.where(low, -1, jnp.where(high, 1, 0))


@one_by_one
def solve_shifted(
    matrix: Float[Array, "n n"], b: Float[Array, "n k"], shift: Float[Array, ""]
) -> Float[Array, "n k"]:
    """(A + λI)⁻¹b by Cholesky; NaN where that is not positive definite."""
    factor = _factor(matrix, shift)
    half = linalg.triangular_solve(factor, b, left_side=True, lower=True)
    return linalg.triangular_solve(factor, half, left_side=True, lower=True, transpose_a=True)


@one_by_one
def inverse_trace(
    matrix: Float[Array, "n n"], shift: Float[Array, ""], weight: Float[Array, "n"]
) -> Float[Array, ""]:
    """tr (A + λI)⁻¹ = |L⁻¹|², over rows of weight 1."""
    identity = jnp.diag(weight)
    inverse = linalg.triangular_solve(_factor(matrix, shift), identity, left_side=True, lower=True)
    return jnp.sum(inverse**2)


@one_by_one
def _factor(matrix: Float[Array, "n n"], shift: Float[Array, ""]) -> Float[Array, "n n"]:
    each = jnp.arange(matrix.shape[0])
    return linalg.cholesky(matrix.at[each, each].add(shift), symmetrize_input=False)
