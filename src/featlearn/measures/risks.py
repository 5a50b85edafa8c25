"""How far the predictions f are from the teacher f*, on fresh draws of x.

With δ = f(x) − f*(x) and label noise ε of level ζ,

    risk            E|δ|^q                               against noiseless labels
    excess          E|f(x) − y|^q − E|ε|^q               against noisy ones, less what nobody avoids
    relative_risk   E δ² / E(f* − E f*)²                 1 for the best constant

Several outputs are summed. Expectations over the noise are taken in closed form, so that a noisy
label adds nothing to the standard error.
"""

from typing import Any, Protocol

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.measures.estimates import (
    Estimate,
    Predictor,
    Problem,
    estimate,
    over_draws,
    ratio_estimate,
)
from featlearn.precision import double_inside


class NoisyProblem(Problem, Protocol):
    """A `Problem` with the law of its label noise."""

    @property
    def noise(self) -> Float[Array, ""]: ...

    @property
    def noise_law(self) -> Any: ...


def risk(
    fit: Predictor, task: Problem, *, key: Key[Array, ""], n: int = 100_000, order: int = 2
) -> Estimate:
    """E|f(x) − f*(x)|^order against noiseless labels, order 1 or 2; the square has no ½.

    What it cannot tell: under heavy-tailed targets the mean hangs on a few draws, and the
    standard error, taken from the same draws, is then too small.

        risk(fit, task, key=key).value
    """
    _check_order(order)
    return _risk(fit, task, key, n, order)


@double_inside
@eqx.filter_jit
def _risk(fit: Predictor, task: Problem, key: Array, n: int, order: int) -> Estimate:
    def at(x: Array) -> Array:
        gap, _ = _gap(fit, task, x)
        return _summed(jnp.abs(gap) if order == 1 else gap**2)

    return estimate(over_draws(at, task.inputs, key, n))


def excess(
    fit: Predictor, task: NoisyProblem, *, key: Key[Array, ""], n: int = 100_000, order: int = 1
) -> Estimate:
    """E|f(x) − y|^order − E|ε|^order, the error above that of the teacher itself.

    Order 2: the noise cancels and E δ² remains. Order 1: with ε = ±ζ, E_ε|δ − ε| = max(|δ|, ζ),
    hence E(|δ| − ζ)₊; with Gaussian ε it is the mean of a folded normal law, less ζ√(2/π).

    What it cannot tell: of order 1 and ε = ±ζ, errors under the noise level count for nothing;
    `risk` shows them.

        excess(fit, task, key=key).value
    """
    _check_order(order)
    return _excess(fit, task, key, n, order)


@double_inside
@eqx.filter_jit
def _excess(fit: Predictor, task: NoisyProblem, key: Array, n: int, order: int) -> Estimate:
    level = jnp.asarray(task.noise).astype(jnp.float64)

    def at(x: Array) -> Array:
        gap, _ = _gap(fit, task, x)
        if order == 2:
            return _summed(gap**2)
        law = _above_gaussian if task.noise_law == "gaussian" else _above_rademacher
        return _summed(law(gap, level))

    return estimate(over_draws(at, task.inputs, key, n))


def _above_rademacher(gap: Array, level: Array) -> Array:
    """E|δ − ε| − E|ε| for ε = ±ζ."""
    return jnp.maximum(jnp.abs(gap) - level, 0.0)


def _above_gaussian(gap: Array, level: Array) -> Array:
    """E|δ − ε| − E|ε| = ζ√(2/π)(exp(−δ²/2ζ²) − 1) + δ erf(δ/(ζ√2)) for ε ~ N(0, ζ²)."""
    ratio = gap / jnp.where(level > 0, level, 1.0)
    folded = jnp.sqrt(2 / jnp.pi) * level * jnp.expm1(-(ratio**2) / 2)
    noisy = folded + gap * jax.scipy.special.erf(ratio / jnp.sqrt(2.0))
    return jnp.where(level > 0, noisy, jnp.abs(gap))


def relative_risk(
    fit: Predictor, task: Problem, *, key: Key[Array, ""], n: int = 100_000
) -> Estimate:
    """E δ² / E(f* − E f*)²: 0 for the teacher, 1 for the best constant.

    Both means, and E f*, come from the same draws, so that what is common to them cancels; the
    standard error is that of the ratio.

    What it cannot tell: a wrong mean from a wrong shape. It is not defined for constant targets.

        relative_risk(fit, task, key=key).value
    """
    return _relative_risk(fit, task, key, n)


@double_inside
@eqx.filter_jit
def _relative_risk(fit: Predictor, task: Problem, key: Array, n: int) -> Estimate:
    def at(x: Array) -> tuple[Array, Array]:
        gap, truth = _gap(fit, task, x)
        return _summed(gap**2), truth

    squares, truth = over_draws(at, task.inputs, key, n)
    return ratio_estimate(squares, _summed((truth - truth.mean(axis=0)) ** 2))


def _gap(fit: Predictor, task: Problem, x: Array) -> tuple[Array, Array]:
    """δ and f* at x."""
    x = x.astype(jnp.float64)
    predicted, truth = fit(x).astype(jnp.float64), task.target(x).astype(jnp.float64)
    if predicted.shape != truth.shape:
        raise InvalidInputError(
            f"The fit predicts shape {predicted.shape} where the target has {truth.shape}. "
            "Give a fit with the outputs of the target."
        )
    return predicted - truth, truth


def _summed(values: Float[Array, "n *k"]) -> Float[Array, "n"]:
    return values.reshape(values.shape[0], -1).sum(axis=1)


def _check_order(order: int) -> None:
    if order not in (1, 2):
        raise InvalidInputError(
            f"order must be 1 (absolute errors) or 2 (squared errors), got {order!r}."
        )
