"""(A + λI)α = b for many columns b, each with its λ, by conjugate gradients in two precisions.

    r ← b − (A + λI) α         float64, over K: the residual that is reported and that ends it
    (A + λI) δ ≈ r             conjugate gradients, tiles in float32, until each |r| fell a
                               hundredfold
    α ← α + δ                  where that lowers the residual; where it does not, float32 has
                               no digits left and the next δ comes from tiles in float64

A = WKW/n is never held, W the weights 0 or 1 of its rows; one pass over its tiles serves all
columns, and its low-rank part preconditions every λ (`_pivoted`).
"""

from math import ceil, sqrt
from numbers import Real
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from featlearn.errors import InvalidInputError
from featlearn.kernels._base import Kernel
from featlearn.kernels._pivoted import LowRank
from featlearn.kernels._tiles import symmetric_product

FALL = 1e-2  # how far a solve in float32 lowers the residual
HELPED = 0.3  # a solve in float32 that leaves more than this of the residual is the last
TRIALS = 3  # a solve in float32 may take this part of the passes that are left


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
        return int(min(ceil(5 * sqrt(n)) if self.rank is None else self.rank, n))


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
    """Columns α, their residuals, passes over K in all and in float32; whether to go on in it."""

    alpha: Float[Array, "n k"]
    residual: Float[Array, "n k"]
    passes: Int[Array, ""]
    singles: Int[Array, ""]
    single: Bool[Array, ""]


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
        worst = jnp.max(relative(state.residual, b))
        return (worst > how.tolerance) & (state.passes < how.steps)

    def refine(state: Solved) -> Solved:
        before = relative(state.residual, b)
        wanted = how.tolerance / 2 * jnp.linalg.norm(b, axis=0)
        enough = jnp.where(state.single, FALL, 0.0) * jnp.linalg.norm(state.residual, axis=0)
        left = (how.steps - state.passes - 1) // jnp.where(state.single, TRIALS, 1)
        delta, taken = gradients(system, state.residual, shift, wanted, enough, left, state.single)
        moved = state.alpha + delta
        residual = b - system.product(moved, shift, jnp.zeros((), bool))
        after = relative(residual, b)
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


def gradients(
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


def relative(residual: Float[Array, "n k"], b: Float[Array, "n k"]) -> Float[Array, "k"]:
    size = jnp.maximum(jnp.linalg.norm(b, axis=0), jnp.finfo(jnp.float64).tiny)
    return jnp.linalg.norm(residual, axis=0) / size
