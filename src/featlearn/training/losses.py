"""Losses of a batch: means over its real rows.

    square          mean |f(x) − y|²            half_square     ½ of it
    cross_entropy   mean log(1 + e^{−s f(x)}),  s = 2y − 1 for labels y in {0, 1}

Several outputs are summed.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.samples import Sample


def mean_over(values: Float[Array, "n *k"], batch: Sample) -> Float[Array, ""]:
    """The mean over the real rows of a sum over outputs."""
    rows = values.reshape(values.shape[0], -1).sum(axis=1)
    if batch.count is None:
        return jnp.mean(rows)
    real = jnp.arange(rows.size) < batch.count
    return jnp.sum(jnp.where(real, rows, 0)) / batch.count.astype(rows.dtype)


def square(predicted: Float[Array, "n *k"], batch: Sample) -> Float[Array, ""]:
    """mean |f − y|²."""
    return mean_over((predicted - batch.y.astype(predicted.dtype)) ** 2, batch)


def half_square(predicted: Float[Array, "n *k"], batch: Sample) -> Float[Array, ""]:
    """mean ½ |f − y|²."""
    return 0.5 * square(predicted, batch)


def cross_entropy(predicted: Float[Array, "n *k"], batch: Sample) -> Float[Array, ""]:
    """mean log(1 + e^{−s f}) for labels in {0, 1}."""
    sign = 2 * batch.y.astype(predicted.dtype) - 1
    return mean_over(jax.nn.softplus(-sign * predicted), batch)
