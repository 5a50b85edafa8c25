"""Second moments of a layer's values next to the true ones, and what layers are called.

Measures of layers are functions of E zzᵀ, z = (1, values of the fit, values of the target) alone.
The moments are summed in GROUPS of draws, whose differences give the standard error.
"""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from featlearn.errors import InvalidInputError
from featlearn.measures.estimates import BLOCK_ROWS, Estimate, Law

GROUPS = 10


@runtime_checkable
class Layered(Protocol):
    """A model whose hidden features S_ℓ(x) can be seen, level by level."""

    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n m"]: ...


def features_of(
    model: Any, x: Float[Array, "n d"], level: int, gap: Any = 1.0
) -> Float[Array, "n m"]:
    """S_ℓ(x) in float64.

    A network whose `features` are its outputs σ(S_ℓ) offers `hidden(x, ℓ)` too: values before the
    activation, scaled so that their signed squares sum to what layer ℓ adds to the prediction.
    That is √α_ℓ S_ℓ.
    """
    if hasattr(model, "hidden"):
        return model.hidden(x, level).astype(jnp.float64) / jnp.sqrt(jnp.asarray(gap, jnp.float64))
    return model.features(x, level).astype(jnp.float64)


def outputs_of(model: Any, x: Float[Array, "n d"], level: int) -> Float[Array, "n m"]:
    """G_ℓ(x) = σ(S_ℓ(x)): what the model says they are, or else the squares of its features."""
    if hasattr(model, "outputs"):
        return model.outputs(x, level).astype(jnp.float64)
    return features_of(model, x, level) ** 2


def signs_of(model: Any, level: int, width: int) -> Float[Array, "m"]:
    """The signs with which the outputs of a layer are summed: all +1 unless the model says."""
    if not hasattr(model, "head_signs"):
        return jnp.ones(width, jnp.float64)
    return jnp.asarray(model.head_signs(level)).astype(jnp.float64)


def group_moments(
    values: Callable[[Float[Array, "b d"]], Float[Array, "b p"]],
    inputs: Law,
    key: Key[Array, ""],
    n: int,
) -> tuple[Float[Array, "g q q"], Int[Array, ""]]:
    """E zzᵀ of z = (1, values) for GROUPS of equally many draws, and how many they are in all.

    At least n draws; no more than BLOCK_ROWS of them are held at once.
    """
    if n < 2 * GROUPS:
        raise InvalidInputError(
            f"n must be at least {2 * GROUPS} draws to give a standard error, got {n}."
        )
    rows = min(-(-n // GROUPS), BLOCK_ROWS)
    blocks = -(-n // (GROUPS * rows))
    keys = jax.random.split(key, GROUPS * blocks).reshape(GROUPS, blocks)

    def moments(k: Array) -> Array:
        z = values(inputs.sample(k, rows).astype(jnp.float64))
        z = jnp.concatenate([jnp.ones((rows, 1), z.dtype), z], axis=1)
        return jnp.matmul(z.T, z, precision="highest") / rows

    def group(ks: Array) -> Array:
        size = jax.eval_shape(moments, ks[0])
        zero = jnp.zeros(size.shape, size.dtype)
        return jax.lax.scan(lambda sum_, k: (sum_ + moments(k), None), zero, ks)[0] / blocks

    return jax.lax.map(group, keys), jnp.asarray(GROUPS * blocks * rows, jnp.int32)


def centred(moments: Float[Array, "q q"]) -> Float[Array, "p p"]:
    """Covariances from E zzᵀ with z_0 = 1."""
    return moments[1:, 1:] - jnp.outer(moments[0, 1:], moments[0, 1:])


def jackknife(
    statistic: Callable[[Float[Array, "q q"]], Float[Array, ""]],
    groups: Float[Array, "g q q"],
    n: Int[Array, ""],
) -> Estimate:
    """A smooth function of the moments of all draws, with a standard error from its groups."""
    g, total = groups.shape[0], groups.mean(axis=0)
    without = jax.lax.map(lambda one: statistic((g * total - one) / (g - 1)), groups)
    spread = (g - 1) / g * jnp.sum((without - without.mean()) ** 2)
    return Estimate(statistic(total), jnp.sqrt(spread), n)
