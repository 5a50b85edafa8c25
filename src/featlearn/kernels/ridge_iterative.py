"""Ridge for many samples and several λ, without ever holding the Gram matrix.

    (K/n + λI) α = y/n                                                     (A = K/n)

Conjugate gradients on all columns (an output at a λ) at once, so that one pass over the tiles
of K serves all of them; preconditioned by a low-rank part of A, one for every λ (`_pivoted`).
In two precisions:

    r ← b − (A + λI) α         float64, over K: the residual that is reported and that ends it
    (A + λI) δ ≈ r             conjugate gradients, tiles in float32, until each |r| fell a
                               hundredfold
    α ← α + δ                  where that lowers the residual; where it does not, float32 has
                               no digits left and the next δ comes from tiles in float64

tr A(A + λI)⁻¹ is an average of ε·(ε − λ(A + λI)⁻¹ε) over random signs ε (Hutchinson).

λ are taken in groups, the largest first, as these are the easiest. After a group that is worse
than the best before it, or that did not reach the tolerance, no smaller λ is tried.
"""

from collections.abc import Callable
from math import ceil, sqrt
from numbers import Real
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from featlearn.errors import InvalidInputError
from featlearn.kernels._base import Kernel, with_array_leaves
from featlearn.kernels._pivoted import LowRank, low_rank
from featlearn.kernels._shifted import ROUNDING
from featlearn.kernels._tiles import symmetric_product
from featlearn.kernels.ridge import RidgePath, condition_bound, least, weights
from featlearn.kernels.ridge_cholesky import edge

FALL = 1e-2  # how far a solve in float32 lowers the residual
HELPED = 0.3  # a solve in float32 that leaves more than this of the residual is the last
TRIALS = 3  # a solve in float32 may take this part of the passes that are left
PROBES = 8  # random signs for the effective dimension: its relative error is below 1/√(4 × it)
WORSE = 1.001  # a group this much worse than the best before it ends the path


class Iterations(eqx.Module):
    """How the iterative solver works.

    tolerance    relative residual |y/n − (K/n + λI)α| / |y/n| of every output
    steps        most passes over the Gram matrix for one group of λ
    rank         columns of the preconditioner; None takes 5√n
    group        how many λ are solved together
    """

    tolerance: float = eqx.field(default=1e-4, kw_only=True)
    steps: int = eqx.field(default=100, kw_only=True)
    rank: int | None = eqx.field(static=True, default=None, kw_only=True)
    group: int = eqx.field(static=True, default=5, kw_only=True)

    def __check_init__(self) -> None:
        if isinstance(self.tolerance, Real) and not 1e-13 <= self.tolerance < 1:
            raise InvalidInputError(
                f"tolerance must lie between 1e-13 and 1, got {self.tolerance}: a relative "
                "residual below that is not to be had in float64."
            )
        for name in ("steps", "rank", "group"):
            value = getattr(self, name)
            given = isinstance(value, Real)
            if given and (isinstance(value, bool) or value != int(value) or value < 1):
                raise InvalidInputError(
                    f"{name} must be a whole number of at least 1, got {value}."
                )

    def columns(self, n: int) -> int:
        """The rank for n rows."""
        return min(ceil(5 * sqrt(n)) if self.rank is None else self.rank, n)


Krylov = tuple[Array, Array, Array, Array, Array]  # x, residual, direction, ⟨r, z⟩, steps


class System(NamedTuple):
    """A = WKW/n with its preconditioner."""

    kernel: Kernel
    x: Float[Array, "n d"]
    weight: Float[Array, "n 1"]
    number: Float[Array, ""]  # rows that exist
    low: LowRank

    def product(
        self, c: Float[Array, "n k"], shift: Float[Array, "k"], single: Bool[Array, ""]
    ) -> Float[Array, "n k"]:
        """(A + λI)c."""

        def tiles(dtype: type) -> Float[Array, "n k"]:
            return symmetric_product(self.kernel, self.x, self.weight * c, dtype)

        product = jax.lax.cond(single, lambda: tiles(jnp.float32), lambda: tiles(jnp.float64))
        return self.weight * product / self.number + shift * c


class Solved(NamedTuple):
    """Columns α, their residuals, and passes over K in float32 and in all."""

    alpha: Float[Array, "n k"]
    residual: Float[Array, "n k"]
    passes: Int[Array, ""]
    singles: Int[Array, ""]
    single: Bool[Array, ""]


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


def _descend(
    system: System,
    right: Float[Array, "n k"],
    lambdas: Float[Array, "l"],
    validate: Callable[[Array], Array],
    how: Iterations,
) -> Path:
    """Groups of ascending λ from the last to the first; the last group may repeat the least λ."""
    l, size = lambdas.shape[0], min(how.group, lambdas.shape[0])
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
        residuals = _relative(solved.residual, jnp.tile(right, (1, size))).reshape(size, k).max(1)
        reached = residuals <= how.tolerance
        errors = jnp.where(reached, validate(solved.alpha), jnp.nan)
        here = least(errors)
        error = jnp.where(jnp.any(reached), errors[here], jnp.inf)
        alpha = solved.alpha.reshape(-1, size, k)[:, here]
        return Path(
            errors=jax.lax.dynamic_update_slice(path.errors, errors, (first,)),
            residuals=jax.lax.dynamic_update_slice(path.residuals, residuals, (first,)),
            best=jnp.minimum(path.best, error),
            coefficients=jnp.where(error < path.best, alpha, path.coefficients),
            passes=path.passes + solved.passes,
            singles=path.singles + solved.singles,
            over=(error > WORSE * path.best) | ~jnp.all(reached),
        )

    return jax.lax.scan(visit, start, jnp.arange(groups))[0]


def solve_columns(
    system: System, right: Float[Array, "n k"], shifts: Float[Array, "l"], how: Iterations
) -> Solved:
    """(A + λI)α = right for each λ and output: columns in the order (λ, output).

    Where |A|/λ is below the tolerance α = b/λ will do: its residual is at most that part of b,
    and no pass is needed.
    """
    b = jnp.tile(right, (1, shifts.shape[0]))
    shift = jnp.repeat(shifts, right.shape[1])
    share = system.low.norm() / shift

    def unfinished(state: Solved) -> Array:
        worst = jnp.max(_relative(state.residual, b))
        return (worst > how.tolerance) & (state.passes < how.steps)

    def refine(state: Solved) -> Solved:
        before = _relative(state.residual, b)
        wanted = how.tolerance / 2 * jnp.linalg.norm(b, axis=0)
        enough = jnp.where(state.single, FALL, 0.0) * jnp.linalg.norm(state.residual, axis=0)
        left = (how.steps - state.passes - 1) // jnp.where(state.single, TRIALS, 1)
        delta, taken = _gradients(system, state.residual, shift, wanted, enough, left, state.single)
        moved = state.alpha + delta
        residual = b - system.product(moved, shift, jnp.zeros((), bool))
        after = _relative(residual, b)
        better, done = after < before, after <= how.tolerance
        return Solved(
            alpha=jnp.where(better, moved, state.alpha),
            residual=jnp.where(better, residual, state.residual),
            passes=state.passes + taken + 1,
            singles=state.singles + jnp.where(state.single, taken, 0),
            single=state.single & jnp.all((after < HELPED * before) | done),
        )

    zero, easy = jnp.zeros((), jnp.int32), share <= how.tolerance
    start = Solved(
        alpha=jnp.where(easy, b / shift, 0.0),
        residual=jnp.where(easy, share * b, b),
        passes=zero,
        singles=zero,
        single=jnp.ones((), bool),
    )
    return jax.lax.while_loop(unfinished, refine, start)


def _gradients(
    system: System,
    b: Float[Array, "n k"],
    shift: Float[Array, "k"],
    wanted: Float[Array, "k"],
    enough: Float[Array, "k"],
    steps: Int[Array, ""],
    single: Bool[Array, ""],
) -> tuple[Float[Array, "n k"], Int[Array, ""]]:
    """Preconditioned conjugate gradients for each column.

    A column stops where its residual is `wanted`; all stop when each is at most `enough`.
    """
    enough = jnp.maximum(enough, wanted)
    z = system.low.precondition(b, shift)

    def unfinished(state: Krylov) -> Array:
        return jnp.any(jnp.linalg.norm(state[1], axis=0) > enough) & (state[-1] < steps)

    def step(state: Krylov) -> Krylov:
        x, r, p, rz, taken = state
        q = system.product(p, shift, single)
        curvature = jnp.sum(p * q, axis=0)
        going = (jnp.linalg.norm(r, axis=0) > wanted) & (curvature > 0)
        length = jnp.where(going, rz / jnp.where(going, curvature, 1.0), 0.0)
        x, r = x + length * p, r - length * q
        z = system.low.precondition(r, shift)
        after = jnp.sum(r * z, axis=0)
        p = jnp.where(going, z + after / jnp.where(going, rz, 1.0) * p, p)
        return x, r, p, jnp.where(going, after, rz), taken + 1

    start = (jnp.zeros_like(b), b, z, jnp.sum(b * z, axis=0), jnp.zeros((), jnp.int32))
    x, *_, taken = jax.lax.while_loop(unfinished, step, start)
    return x, taken


def _effective_dimension(
    system: System, shift: Float[Array, ""], how: Iterations, key: Key[Array, ""]
) -> Float[Array, ""]:
    """tr A(A + λI)⁻¹ from random signs; a quadratic form is exact to the residual's square."""
    shape = (system.x.shape[0], PROBES)
    signs = jax.random.rademacher(key, shape, jnp.float64) * system.weight
    enough = FALL * jnp.linalg.norm(signs, axis=0)
    single = jnp.ones((), bool)
    shifts = jnp.full(PROBES, shift)
    z = _gradients(system, signs, shifts, enough, enough, jnp.asarray(how.steps), single)[0]
    return jnp.clip(jnp.sum(signs * (signs - shift * z)) / PROBES, 0.0, system.number)


def _relative(residual: Float[Array, "n k"], b: Float[Array, "n k"]) -> Float[Array, "k"]:
    size = jnp.maximum(jnp.linalg.norm(b, axis=0), jnp.finfo(jnp.float64).tiny)
    return jnp.linalg.norm(residual, axis=0) / size
