"""The matrix of least nuclear norm that agrees with linear measurements: the convex way.

    minimise ‖M‖_*   subject to   ⟨A_i, M⟩ = y_i,   i = 1…n

Douglas–Rachford splitting, with S the shrinkage of singular values by τ and P the projection
onto the matrices that agree with the measurements:

    X ← S(Z − U),   Z ← P(X + U),   U ← U + X − Z

Certificate: Y = −U/τ is a combination Σ ν_i A_i, so that ⟨Y, Z⟩ = Σ ν_i y_i, and with
‖Y‖ ≤ 1 in the spectral norm this is a lower bound of ‖M‖_* over every M that agrees. The relative
gap (‖Z‖_* − ⟨Y, Z⟩/max(1, ‖Y‖))/‖Z‖_* is therefore at least 0, and 0 at the minimum alone.
"""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.decompositions import eigh
from featlearn.errors import InvalidInputError
from featlearn.learners._sensing import (
    Measurements,
    Recovered,
    check_measurements,
    nuclear_sum,
    shrink,
    spectral_norm,
)
from featlearn.precision import double_inside, double_precision

ROUNDING = 1e-10  # of the largest eigenvalue: a direction below it is measured by nobody
BETWEEN = 20  # steps from one look at the gap to the next


class NuclearNorm(eqx.Module):
    """argmin ‖M‖_* over the matrices that agree with the measurements, in float64.

        NuclearNorm().recover(matrices, labels).matrix

    steps       at most so many
    tolerance   ends where the relative duality gap is below it; `record["gap"]` is what it was

    Measurements that contradict one another are met in least squares.
    """

    steps: int = eqx.field(static=True)
    tolerance: float

    def __init__(self, *, steps: int = 2000, tolerance: float = 1e-4) -> None:
        if steps < 1 or not 0 < tolerance < 1:
            raise InvalidInputError(
                "NuclearNorm needs steps of at least 1 and a tolerance between 0 and 1, got "
                f"{steps} and {tolerance}."
            )
        self.steps, self.tolerance = int(steps), float(tolerance)

    @double_inside
    def recover(
        self, matrices: Any, labels: Any, *, key: Key[Array, ""] | None = None
    ) -> Recovered:
        """From A_i (n, p, q) and y_i (n,). Nothing is drawn: `key` is not used."""
        return _recover(self, check_measurements(matrices, labels))

    def recover_arrays(self, given: Measurements, key: Key[Array, ""] | None = None) -> Recovered:
        """`recover` without checks: pure, for a fleet."""
        rows, labels = given.flat(jnp.float64)
        agree = _agreement(rows, labels, given.shape)
        by = spectral_norm(agree.least)  # any τ > 0 ends at the minimum; this one has M's scale
        start = _State(agree.least, jnp.zeros_like(agree.least), jnp.inf, jnp.asarray(0, jnp.int32))

        def unfinished(state: _State) -> Array:
            return (state.gap > self.tolerance) & (state.step < self.steps)

        def advance(state: _State) -> _State:
            z, u = jax.lax.fori_loop(
                0, BETWEEN, lambda _, zu: _step(zu[0], zu[1], by, agree), (state.z, state.u)
            )
            return _State(z, u, _gap(z, -u / by), state.step + BETWEEN)

        end = jax.lax.while_loop(unfinished, advance, start)
        return Recovered(end.z, {"gap": end.gap, "steps": end.step, "nuclear": nuclear_sum(end.z)})


class _Agreement(NamedTuple):
    """The matrices that agree with the measurements: the least of them, and the span of the A_i."""

    least: Float[Array, "p q"]
    span: Float[Array, "pq n"]  # orthonormal columns, or 0

    def project(self, matrix: Float[Array, "p q"]) -> Float[Array, "p q"]:
        flat = matrix.reshape(-1)
        return self.least + (flat - self.span @ (self.span.T @ flat)).reshape(matrix.shape)


class _State(NamedTuple):
    z: Array
    u: Array
    gap: Any
    step: Array


def _agreement(
    rows: Float[Array, "n pq"], labels: Float[Array, "n"], shape: tuple[int, int]
) -> _Agreement:
    """With AAᵀ = VΛVᵀ the span is AᵀVΛ^(−½), and the least matrix that agrees AᵀVΛ⁻¹Vᵀy."""
    values, vectors = eigh(rows @ rows.T)
    seen = values > ROUNDING * values[-1]
    root = jnp.where(seen, 1 / jnp.sqrt(jnp.where(seen, values, 1.0)), 0.0)
    span = rows.T @ (vectors * root)
    least = span @ (root * (vectors.T @ labels))
    return _Agreement(least.reshape(shape), span)


def _step(z: Array, u: Array, by: Array, agree: _Agreement) -> tuple[Array, Array]:
    x = shrink(z - u, by)
    z = agree.project(x + u)
    return z, u + x - z


def _gap(z: Float[Array, "p q"], dual: Float[Array, "p q"]) -> Float[Array, ""]:
    value = nuclear_sum(z)
    bound = jnp.sum(dual * z) / jnp.maximum(spectral_norm(dual), 1.0)
    return (value - bound) / value


@double_precision
@eqx.filter_jit
def _recover(learner: NuclearNorm, given: Measurements) -> Recovered:
    return learner.recover_arrays(given)
