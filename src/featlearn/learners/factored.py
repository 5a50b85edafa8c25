"""A matrix recovered as UVᵀ by gradient descent: the non-convex way.

    L(U, V) = 1/2n Σ_i (⟨A_i, UVᵀ⟩ − y_i)²,     R = 1/n Σ_i (⟨A_i, UVᵀ⟩ − y_i) A_i
    U ← U − η RV + β(U − U₋),   V ← V − η RᵀU + β(V − V₋)

No term asks for low rank, and U, V may have as many columns as the matrix: from a small start the
directions grow one after another, the largest first, and few have grown when the labels are met.
From a large start they all take part, UVᵀ moves as a linear model does, and ends with full rank.
What a small start leaves of other directions falls with a power of it.
The start is U = (P, P), V = (Q, −Q), whose product is 0 at any scale.
"""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.decompositions import eigvalsh
from featlearn.errors import InvalidInputError
from featlearn.learners._sensing import (
    Measurements,
    Recovered,
    check_measurements,
    spectral_norm,
)
from featlearn.precision import double_precision

BETWEEN = 50  # steps from one look at the residual to the next


class FactoredDescent(eqx.Module):
    """Gradient descent with momentum on U and V, in float32.

        FactoredDescent().recover(matrices, labels, key=key).matrix

    inner       columns of U and V, an even number; by default enough for any matrix
    start       entries of P and Q are N(0, start² σ/columns), σ the scale of the matrix
    rate        of the largest step that the curvature at the start and at the solution allows
    momentum    β
    steps       at most so many
    tolerance   ends where the root mean square residual is below this part of that of the labels
    """

    inner: int | None = eqx.field(static=True)
    steps: int = eqx.field(static=True)
    start: Any
    rate: Any
    momentum: Any
    tolerance: Any

    def __init__(
        self,
        *,
        inner: int | None = None,
        start: float = 1e-6,
        rate: float = 0.5,
        momentum: float = 0.9,
        steps: int = 10_000,
        tolerance: float = 1e-4,
    ) -> None:
        if inner is not None and (inner < 2 or inner % 2):
            raise InvalidInputError(f"inner must be an even number of at least 2, got {inner}.")
        if steps < 1 or not 0 <= momentum < 1:
            raise InvalidInputError(
                "FactoredDescent needs steps of at least 1 and a momentum in [0, 1), got "
                f"{steps} and {momentum}."
            )
        for name, value in (("start", start), ("rate", rate), ("tolerance", tolerance)):
            if not 0 < value < float("inf"):
                raise InvalidInputError(f"{name} must be positive and finite, got {value}.")
        self.inner, self.steps, self.start, self.rate = inner, int(steps), start, rate
        self.momentum, self.tolerance = momentum, tolerance

    def recover(self, matrices: Any, labels: Any, *, key: Key[Array, ""]) -> Recovered:
        """From A_i (n, p, q) and y_i (n,), from a random start."""
        return _recover(self, check_measurements(matrices, labels), key)

    def recover_arrays(self, given: Measurements, key: Key[Array, ""]) -> Recovered:
        """`recover` without checks: pure, for a fleet."""
        rows, labels = given.flat(jnp.float32)
        n = jnp.asarray(given.number, jnp.float32)
        scale = spectral_norm((labels @ rows / n).reshape(given.shape))
        start = _start(self, key, given.shape, scale)
        eta, beta = _step_size(self, rows, n, start, scale), jnp.float32(self.momentum)
        size = jnp.sqrt(labels @ labels)

        def residual(at: _Factors) -> Array:
            return _times(rows, _times(at.u, at.v.T).reshape(-1)) - labels

        def step(_: Any, pair: tuple[_Factors, _Factors]) -> tuple[_Factors, _Factors]:
            now, before = pair
            slope = _times(residual(now), rows).reshape(given.shape) / n
            u = now.u - eta * _times(slope, now.v) + beta * (now.u - before.u)
            v = now.v - eta * _times(slope.T, now.u) + beta * (now.v - before.v)
            return _Factors(u, v), now

        def unfinished(state: _State) -> Array:
            return (state.error > self.tolerance) & (state.step < self.steps)

        def advance(state: _State) -> _State:
            now, before = jax.lax.fori_loop(0, BETWEEN, step, (state.now, state.before))
            error = jnp.linalg.norm(residual(now)) / size
            return _State(now, before, error, state.step + BETWEEN)

        first = _State(start, start, jnp.float32(jnp.inf), jnp.asarray(0, jnp.int32))
        end = jax.lax.while_loop(unfinished, advance, first)
        record = {"residual": end.error, "steps": end.step}
        return Recovered(_times(end.now.u, end.now.v.T), record)


def _times(a: Array, b: Array) -> Array:
    """A GPU's default precision for float32 would leave three digits of it."""
    return jnp.matmul(a, b, precision="highest")


class _Factors(NamedTuple):
    u: Float[Array, "p k"]
    v: Float[Array, "q k"]


class _State(NamedTuple):
    now: _Factors
    before: _Factors
    error: Array
    step: Array


def _start(
    learner: FactoredDescent, key: Key[Array, ""], shape: tuple[int, int], scale: Array
) -> _Factors:
    most = min(shape)
    inner = most + most % 2 if learner.inner is None else learner.inner
    size = jnp.asarray(learner.start, jnp.float32) * jnp.sqrt(scale / inner)
    p, q = (
        size * jax.random.normal(k, (side, inner // 2), jnp.float32)
        for k, side in zip(jax.random.split(key), shape, strict=True)
    )
    return _Factors(jnp.concatenate([p, p], axis=1), jnp.concatenate([q, -q], axis=1))


def _step_size(
    learner: FactoredDescent, rows: Array, n: Array, start: _Factors, scale: Array
) -> Float[Array, ""]:
    """The curvature is at most ‖A‖²/n times ‖U‖² + ‖V‖², which is 2σ at the solution."""
    sharpest = eigvalsh(rows @ rows.T)[-1] / n
    sides = 2 * scale + spectral_norm(start.u) ** 2 + spectral_norm(start.v) ** 2
    return jnp.asarray(learner.rate, jnp.float32) / (sharpest * sides)


@double_precision
@eqx.filter_jit
def _recover(learner: FactoredDescent, given: Measurements, key: Key[Array, ""]) -> Recovered:
    return learner.recover_arrays(given, key)
