"""The constant and linear parts of the labels, estimated on the training rows alone.

α = mean y_i,    β = mean y_i x_i,    y_i ← y_i − α − β·x_i
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.learners._split import Rows, Split

Parts = tuple[Float[Array, "k"], Float[Array, "d k"]]


def linear_part(rows: Rows) -> Parts:
    """α (k,) and β (d, k) over the rows of weight 1."""
    weighted = rows.y * rows.weight[:, None]
    n = rows.number.astype(jnp.float64)
    return weighted.sum(0) / n, rows.x.astype(jnp.float64).T @ weighted / n


def no_linear_part(rows: Rows) -> Parts:
    """Zeros in the shapes of α and β."""
    k = rows.y.shape[1]
    return jnp.zeros(k, jnp.float64), jnp.zeros((rows.x.shape[1], k), jnp.float64)


def without(rows: Rows, parts: Parts) -> Rows:
    """The rows with labels y − α − β·x."""
    constant, linear = parts
    return rows._replace(y=rows.y - constant - rows.x.astype(jnp.float64) @ linear)


def split_without(split: Split, parts: Parts) -> Split:
    return Split(without(split.train, parts), without(split.validate, parts))
