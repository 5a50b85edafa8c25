"""Ridge for many samples and several λ, without ever holding the Gram matrix.

    (K/n + λI) α = y/n,    A = K/n,    by preconditioned conjugate gradients

λ are taken in groups, the largest first, as these are the easiest; the columns of a group, an
output at a λ, share every pass over K (`_conjugate_gradients`). After a group that is worse than
the best before it, or that did not reach the tolerance, no smaller λ is tried.

tr A(A + λI)⁻¹ is an average of ε·(ε − λ(A + λI)⁻¹ε) over random signs ε (Hutchinson).
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from featlearn.kernels._base import Kernel, with_array_leaves
from featlearn.kernels._conjugate_gradients import (
    FALL,
    Iterations,
    System,
    gradients,
    relative,
    solve_columns,
)
from featlearn.kernels._pivoted import low_rank
from featlearn.kernels._shifted import ROUNDING
from featlearn.kernels.ridge import RidgePath, condition_bound, least, weights
from featlearn.kernels.ridge_cholesky import edge

PROBES = 8  # random signs: the effective dimension D is then right to about 1/(2√D) of it
WORSE = 1.001  # a group this much worse than the best before it ends the path


class Path(NamedTuple):
    """What is known by ascending λ, and the best so far."""

    errors: Float[Array, "l"]
    residuals: Float[Array, "l"]
    best: Float[Array, ""]
    coefficients: Float[Array, "n k"]
    passes: Int[Array, ""]
    singles: Int[Array, ""]
    over: Bool[Array, ""]


def ridge_iterative(
    kernel: Kernel,
    x: Float[Array, "n d"],
    y: Float[Array, "n k"],
    x_validation: Float[Array, "v d"],
    y_validation: Float[Array, "v k"],
    penalties: Float[Array, "l"] | tuple[float, ...],
    key: Key[Array, ""],
    weight: Float[Array, "n"] | None = None,
    weight_validation: Float[Array, "v"] | None = None,
    iterations: Iterations | None = None,
) -> RidgePath:
    """Like `ridge_dual`; the key draws the preconditioner.

    A λ that was not tried, or did not reach the tolerance, has a NaN for its validation error;
    if none did, the coefficients are 0. `details` holds the residual of every λ that was tried.
    """
    how = Iterations() if iterations is None else iterations
    lambdas = jnp.asarray(penalties, jnp.float64)
    order = jnp.argsort(lambdas)
    w, v = weights(weight, x.shape[0]), weights(weight_validation, x_validation.shape[0])
    kernel, x = with_array_leaves(kernel), x.astype(jnp.float64)
    count = jnp.maximum(w.sum(), 1.0)
    key_low, key_probes = jax.random.split(key)
    low = low_rank(kernel, x, w, how.columns(x.shape[0]), key_low)
    system = System(kernel, x, w[:, None], count, low)
    rounding = x.shape[0] * ROUNDING * jnp.sqrt(jnp.sum(low.values**2))
    right = y.astype(jnp.float64) * w[:, None] / count

    def validate(alpha: Float[Array, "n lk"]) -> Float[Array, "l"]:
        shown = kernel.product(x_validation, x, alpha).reshape(v.size, -1, y.shape[1])
        missed = (shown - y_validation[:, None, :]) ** 2
        return v @ missed.sum(axis=2) / jnp.maximum(v.sum(), 1.0)

    floored = jnp.maximum(lambdas[order], rounding)
    path = _descend(system, right, floored, validate, how)
    place = least(path.errors)
    used = _effective_dimension(system, floored[place], how, key_probes)

    def by_penalty(values: Float[Array, "l"]) -> Float[Array, "l"]:
        return jnp.zeros_like(lambdas).at[order].set(values)

    return RidgePath(
        coefficients=path.coefficients,
        penalty=lambdas[order[place]],
        index=order[place],
        penalties=lambdas,
        validation=by_penalty(path.errors),
        grid_edge=edge(path.errors),
        effective_dimension=used,
        rounding=rounding,
        condition=condition_bound(low.norm(), floored[place], count, used),
        details={
            "residual": path.residuals[place],
            "residuals": by_penalty(path.residuals),
            "passes": path.passes,
            "passes_in_single": path.singles,
            "preconditioner_rank": jnp.asarray(how.columns(x.shape[0])),
        },
    )


def _filled(
    path: Float[Array, "l"], found: Float[Array, "g"], known: Bool[Array, "g"], first: Array
) -> Float[Array, "l"]:
    """The path with what was found at the places from `first` on that were not known."""
    old = jax.lax.dynamic_slice_in_dim(path, first, found.shape[0])
    return jax.lax.dynamic_update_slice(path, jnp.where(known, old, found), (first,))


def _descend(
    system: System,
    right: Float[Array, "n k"],
    lambdas: Float[Array, "l"],
    validate: Callable[[Array], Array],
    how: Iterations,
) -> Path:
    """Groups of ascending λ from the last to the first; the last group may repeat the least λ."""
    l, size = lambdas.shape[0], int(min(how.group, lambdas.shape[0]))
    groups = -(-l // size)
    nothing = jnp.full(l, jnp.nan)
    zero = jnp.zeros((), jnp.int32)
    start = Path(
        nothing, nothing, jnp.asarray(jnp.inf), jnp.zeros_like(right), zero, zero, zero > 0
    )

    def visit(path: Path, group: Array) -> tuple[Path, None]:
        first = jnp.maximum(l - (group + 1) * size, 0)
        return jax.lax.cond(path.over, lambda: path, lambda: solve_group(path, first)), None

    def solve_group(path: Path, first: Array) -> Path:
        shifts = jax.lax.dynamic_slice_in_dim(lambdas, first, size)
        solved = solve_columns(system, right, shifts, how)
        k = right.shape[1]
        residuals = relative(solved.residual, jnp.tile(right, (1, size))).reshape(size, k).max(1)
        reached = residuals <= how.tolerance
        before = jax.lax.dynamic_slice_in_dim(path.residuals, first, size)
        known = ~jnp.isnan(before)  # solved with the group before: its numbers stay
        errors = jnp.where(reached & ~known, validate(solved.alpha), jnp.nan)
        here = least(errors)
        error = jnp.where(jnp.any(reached & ~known), errors[here], jnp.inf)
        alpha = solved.alpha.reshape(-1, size, k)[:, here]
        return Path(
            errors=_filled(path.errors, errors, known, first),
            residuals=_filled(path.residuals, residuals, known, first),
            best=jnp.minimum(path.best, error),
            coefficients=jnp.where(error < path.best, alpha, path.coefficients),
            passes=path.passes + solved.passes,
            singles=path.singles + solved.singles,
            over=(error > WORSE * path.best) | ~jnp.all(reached),
        )

    return jax.lax.scan(visit, start, jnp.arange(groups))[0]


def _effective_dimension(
    system: System, shift: Float[Array, ""], how: Iterations, key: Key[Array, ""]
) -> Float[Array, ""]:
    """tr A(A + λI)⁻¹ from random signs; a quadratic form is exact to the residual's square."""
    shape = (system.x.shape[0], PROBES)
    signs = jax.random.rademacher(key, shape, jnp.float64) * system.weight
    enough = FALL * jnp.linalg.norm(signs, axis=0)
    single = jnp.ones((), bool)
    shifts = jnp.full(PROBES, shift)
    z = gradients(system, signs, shifts, enough, enough, jnp.asarray(how.steps), single)[0]
    return jnp.clip(jnp.sum(signs * (signs - shift * z)) / PROBES, 0.0, system.number)
