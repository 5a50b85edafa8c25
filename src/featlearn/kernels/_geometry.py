"""Inner products and distances between rows, and roots with a derivative at zero."""

import jax.numpy as jnp
from jaxtyping import Array, Float


def inner_products(x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
    """⟨x_i, y_j⟩ / d: of order one for standardised columns, whatever d."""
    return x @ y.T / x.shape[1]


def squared_norms(x: Float[Array, "n d"]) -> Float[Array, "n"]:
    """|x_i|² / d."""
    return jnp.sum(x**2, axis=1) / x.shape[1]


def squared_distances(x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
    """|x_i − y_j|² / d = (|x_i|² + |y_j|² − 2⟨x_i, y_j⟩) / d.

    Both are shifted by the mean of y first: distances do not see it, and data far from the
    origin would cancel.
    """
    centre = jnp.mean(y, axis=0)
    x, y = x - centre, y - centre
    both = squared_norms(x)[:, None] + squared_norms(y)[None, :]
    return jnp.maximum(both - 2 * inner_products(x, y), 0.0)


def safe_sqrt(value: Float[Array, "*s"]) -> Float[Array, "*s"]:
    """√value, with derivative 0 where value ≤ 0."""
    positive = value > 0
    return jnp.where(positive, jnp.sqrt(jnp.where(positive, value, 1.0)), 0.0)
