"""Theorem 2: how far a layer's features are from the true ones, up to a rotation.

    α_ℓ² min_U E‖S*_ℓ − U S_ℓ‖² = α_ℓ² (E‖S*‖² + E‖S‖² − 2 ‖E S* Sᵀ‖_nuclear),   U orthogonal

Features of unequal number are filled up with zeros. For a learner that is wider than the target
this counts what its surplus neurons do: neurons V S* with VᵀV = I have error 0, as has their
distillation to k_ℓ features, and a neuron with no part in S* adds its whole energy.
"""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from featlearn.decompositions import eigh
from featlearn.errors import InvalidInputError
from featlearn.measures._layer_moments import Layered, features_of
from featlearn.measures.estimates import Problem, over_draws
from featlearn.precision import double_inside


class FeatureError(eqx.Module):
    """An estimate with its `null`: the value for the same features at unrelated points."""

    value: Float[Array, ""]
    stderr: Float[Array, ""]
    n: Int[Array, ""]
    null: Float[Array, ""]


def feature_error(
    fit: Layered,
    task: Problem,
    level: int,
    *,
    key: Key[Array, ""],
    n: int = 20_000,
    gap: float | None = None,
) -> FeatureError:
    """α_ℓ² min_U E‖S*_ℓ(x) − U S_ℓ(x)‖² over orthogonal U; 0 for the true features, rotated.

    `fit.features(x, level)` are features in the units in which layer ℓ adds α_ℓ Σ_i ± S_{ℓ,i}² to
    the prediction. Where there is `fit.hidden(x, level)` it goes before them: √α_ℓ S_{ℓ,i}, whose
    signed squares sum to what the layer adds. `gap` is α_ℓ, by default the target's. U is fitted
    on the draws that measure, which lowers the value by about (features)²/n of itself.

    What it cannot tell: where a layer is summed with both signs, its quadratic form leaves more
    than rotations open, and features may differ while every layer above sees the same; there,
    ask `span_error`.

        feature_error(fit, task, 1, key=key).value
    """
    alpha = _gap(task.target, level) if gap is None else jnp.asarray(gap)
    return _feature_error(fit, task, level, key, n, alpha)


@double_inside
@eqx.filter_jit
def _feature_error(
    fit: Layered, task: Problem, level: int, key: Array, n: int, alpha: Array
) -> FeatureError:
    def at(x: Array) -> tuple[Array, Array]:
        x = x.astype(jnp.float64)
        return features_of(task.target, x, level), features_of(fit, x, level, alpha)

    true, found = over_draws(at, task.inputs, key, n)
    energy = jnp.sum(true**2, axis=1) + jnp.sum(found**2, axis=1)
    turned = found @ _best_turn(true.T @ found / n).T
    losses = energy - 2 * jnp.sum(true * turned, axis=1)
    common = jnp.linalg.norm(true.mean(axis=0)) * jnp.linalg.norm(found.mean(axis=0))
    squared = alpha.astype(jnp.float64) ** 2
    return FeatureError(
        value=squared * jnp.maximum(losses.mean(), 0.0),
        stderr=squared * losses.std(ddof=1) / jnp.sqrt(n),
        n=jnp.asarray(n, jnp.int32),
        null=squared * (energy.mean() - 2 * common),
    )


def _best_turn(cross: Float[Array, "k m"]) -> Float[Array, "k m"]:
    """The polar factor of E S* Sᵀ, whose inner product with it is the nuclear norm.

    From the smaller of the two Gram matrices, so that the width of a layer costs products only.
    """
    if cross.shape[0] > cross.shape[1]:
        return _best_turn(cross.T).T
    values, vectors = eigh(cross @ cross.T)
    present = values > jnp.finfo(values.dtype).eps * values[-1]
    inverse = jnp.where(present, 1 / jnp.sqrt(jnp.where(present, values, 1.0)), 0.0)
    return (vectors * inverse) @ vectors.T @ cross


def _gap(target: Any, level: int) -> Array:
    if not hasattr(target, "gap"):
        raise InvalidInputError(
            f"{type(target).__name__} declares no α of its layers: give gap= (1 for none)."
        )
    return jnp.asarray(target.gap(level))
