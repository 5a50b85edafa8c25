"""Whether the layer above can build the true one: do a layer's outputs span the true products?

    Σ_{a≤b} min_{c, c₀} E(S*_a S*_b − c₀ − cᵀG_ℓ)² / Σ_{a≤b} Var(S*_a S*_b)

G_ℓ = σ(S_ℓ) are the outputs of the fit's layer, all that the next layer reads of it. The span has
all rotations of the features in it, and all signs of the head.
"""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.decompositions import eigh
from featlearn.measures._layer_moments import (
    GROUPS,
    Layered,
    centred,
    features_of,
    group_moments,
    outputs_of,
)
from featlearn.measures.estimates import Estimate, Problem
from featlearn.precision import double_inside

PRESENT = 1e-11  # of the largest: directions of the outputs below it are rounding


def span_error(
    fit: Layered, task: Problem, level: int, *, key: Key[Array, ""], n: int = 20_000
) -> Estimate:
    """The unexplained part of the true products S*_{ℓ,a}S*_{ℓ,b}: 0 if all are built, 1 for none.

    Coefficients are fitted on one half of the draws and judged on the other, so that m outputs
    explain nothing by their number; n should be well above m all the same.

    What it cannot tell: whether the next layer *finds* the coefficients; and with heavy tails the
    few largest draws weigh most.

        span_error(fit, task, 1, key=key).value
    """
    return _span_error(fit, task, level, key, n)


@double_inside
@eqx.filter_jit
def _span_error(fit: Layered, task: Problem, level: int, key: Array, n: int) -> Estimate:
    def values(x: Array) -> Array:
        given = outputs_of(fit, x, level)
        return jnp.concatenate([given, products(features_of(task.target, x, level))], axis=1)

    groups, count = group_moments(values, task.inputs, key, n)
    k = task.target.features(jnp.zeros((1, task.inputs.dim)), level).shape[1]
    wanted = k * (k + 1) // 2
    half = GROUPS // 2
    solution = _coefficients(centred(groups[:half].mean(axis=0)), wanted)
    apart = jnp.stack([_unexplained(centred(one), solution) for one in groups[half:]])
    above, below = apart.mean(axis=0)
    spread = (apart[:, 0] - above / below * apart[:, 1]).std(ddof=1) / below
    return Estimate(above / below, spread / jnp.sqrt(half), count // 2)


def products(s: Float[Array, "n k"]) -> Float[Array, "n k*(k+1)/2"]:
    """S_a S_b for a ≤ b."""
    rows, columns = jnp.triu_indices(s.shape[1])
    return s[:, rows] * s[:, columns]


def _coefficients(covariance: Float[Array, "p p"], wanted: int) -> Float[Array, "m q"]:
    """Least squares of the last `wanted` values on the others, each brought to variance 1."""
    m = covariance.shape[0] - wanted
    gram, cross = covariance[:m, :m], covariance[:m, m:]
    variance = jnp.diag(gram)
    alive = variance > PRESENT * jnp.max(variance)
    scale = jnp.where(alive, 1 / jnp.sqrt(jnp.where(alive, variance, 1.0)), 0.0)
    roots, vectors = eigh(scale[:, None] * gram * scale)
    present = roots > PRESENT * roots[-1]
    inverse = jnp.where(present, 1 / jnp.where(present, roots, 1.0), 0.0)
    return scale[:, None] * ((vectors * inverse) @ (vectors.T @ (scale[:, None] * cross)))


def _unexplained(covariance: Float[Array, "p p"], solution: Float[Array, "m q"]) -> Array:
    """Σ E(product − cᵀG)² and Σ Var(product), from the covariance of other draws."""
    m = solution.shape[0]
    gram, cross, own = covariance[:m, :m], covariance[:m, m:], covariance[m:, m:]
    fitted = jnp.sum(solution * (gram @ solution)) - 2 * jnp.sum(solution * cross)
    return jnp.stack([jnp.maximum(jnp.trace(own) + fitted, 0.0), jnp.trace(own)])
