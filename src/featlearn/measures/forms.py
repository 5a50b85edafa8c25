"""How much of a layer's quadratic form lies outside the span of the true features.

A layer is seen from above through its form Σ_i w_i S_i ⊗ S_i, w_i = ±1. In L² of the centred
features it has the norm

    ‖M‖² = Σ_{ij} w_i w_j (Cov(S)_{ij})²

and so has its part inside, with S replaced by its best linear prediction from S*_ℓ. For a first
layer S = Wx and inputs of covariance I this is the matrix M = Wᵀ diag(w) W and PMP, P = the
projection on the rows of W*: `foreign_energy` computes that from the weights.
"""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.decompositions import eigh
from featlearn.measures._layer_moments import (
    Layered,
    centred,
    features_of,
    group_moments,
    jackknife,
    signs_of,
)
from featlearn.measures.estimates import Estimate, Problem
from featlearn.measures.subspaces import orthonormal
from featlearn.precision import double_inside

PRESENT = 1e-11  # of the largest: directions of the true features below it are rounding


def contamination(
    fit: Layered, task: Problem, level: int, *, key: Key[Array, ""], n: int = 20_000
) -> Estimate:
    """1 − ‖M inside‖²/‖M‖² of the layer's quadratic form: 0 if it is of the true features alone.

    `fit.head_signs(level)`, where there is one, gives the signs w. Random directions have about
    k/d of their energy inside at d inputs and k true features.

    What it cannot tell: a wrong form inside the right span (that is `feature_error`), and under
    inputs that are not isotropic it weighs directions by their variance.

        contamination(fit, task, 1, key=key).value
    """
    return _contamination(fit, task, level, key, n)


@double_inside
@eqx.filter_jit
def _contamination(fit: Layered, task: Problem, level: int, key: Array, n: int) -> Estimate:
    def values(x: Array) -> Array:
        found, true = features_of(fit, x, level), features_of(task.target, x, level)
        return jnp.concatenate([found, true], axis=1)

    k = task.target.features(jnp.zeros((1, task.inputs.dim)), level).shape[1]
    groups, count = group_moments(values, task.inputs, key, n)
    signs = signs_of(fit, level, groups.shape[1] - 1 - k)
    return jackknife(lambda moments: _outside(centred(moments), signs), groups, count)


def _outside(covariance: Float[Array, "p p"], signs: Float[Array, "m"]) -> Float[Array, ""]:
    m = signs.shape[0]
    own, cross, true = covariance[:m, :m], covariance[:m, m:], covariance[m:, m:]
    values, vectors = eigh(true)
    present = values > PRESENT * values[-1]
    inverse = jnp.where(present, 1 / jnp.where(present, values, 1.0), 0.0)
    turned = cross @ vectors
    inside = (turned * inverse) @ turned.T
    # ‖M‖² − ‖M inside‖² as a product, so that a small difference keeps its digits
    difference = jnp.sum(jnp.outer(signs, signs) * (own - inside) * (own + inside))
    return difference / jnp.sum(jnp.outer(signs, signs) * own**2)


@double_inside
def foreign_energy(form: Float[Array, "d d"], basis: Float[Array, "d r"]) -> Float[Array, ""]:
    """‖M − PMP‖² / ‖M‖² of a symmetric form M = Wᵀ diag(w) W; P projects on the span of `basis`.

    foreign_energy(weights.T @ weights, basis)
    """
    form, u = form.astype(jnp.float64), orthonormal(basis)
    inside = u @ (u.T @ form @ u) @ u.T
    whole = jnp.maximum(jnp.sum(form**2), jnp.finfo(jnp.float64).tiny)
    return jnp.sum((form - inside) ** 2) / whole
