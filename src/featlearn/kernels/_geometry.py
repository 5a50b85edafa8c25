"""Inner products and distances between rows, and roots with a derivative at zero."""

import math

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


def inner_products(x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
    """⟨x_i, y_j⟩ / d: of order one for standardised columns, whatever d."""
    return x @ y.T / x.shape[1]


def squared_norms(x: Float[Array, "n d"]) -> Float[Array, "n"]:
    """|x_i|² / d."""
    return jnp.sum(x**2, axis=1) / x.shape[1]


COINCIDENT = 2.0**-72  # of |x|² + |y|²: a few roundings of ⟨x, l⟩, with |l| ≈ 2⁻²⁴ |x|


def squared_distances(x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
    """|x_i − y_j|² / d, from products of matrices; nearly equal points keep their digits.

    Both are shifted by the mean of y first, which distances do not see. With x = h + l, h the
    leading half of the digits,

        |x − y|² = (|h|² + |h'|² − 2⟨h, h'⟩) + ⟨h + x, l⟩ + ⟨h' + y, l'⟩ − 2⟨x, l'⟩ − 2⟨l, h'⟩

    where all sums in the bracket are exact: what cancels there leaves no rounding behind. What the
    rest leaves where the points are equal is less than COINCIDENT, and counts as 0.
    """
    centre = jnp.mean(y, axis=0)
    x, y = x - centre, y - centre
    large = _large(y)
    h, k = (x + large) - large, (y + large) - large
    both = jnp.sum(h**2, axis=1)[:, None] + jnp.sum(k**2, axis=1)[None, :]
    rest = jnp.sum((h + x) * (x - h), axis=1)[:, None] + jnp.sum((k + y) * (y - k), axis=1)
    cross = jnp.hstack([x, x - h]) @ jnp.hstack([y - k, k]).T
    squares = (both - 2 * (h @ k.T)) + (rest - 2 * cross)
    return jnp.where(squares > COINCIDENT * both, squares, 0.0) / x.shape[1]


def _large(y: Float[Array, "m d"]) -> Float[Array, ""]:
    """What rounds a coordinate, when added and taken away, so that sums of d products are exact.

    A sum of d products has log2 d digits more than one, three such sums two more, and the
    exponent of a coordinate's sum with `large` may be one less than that of `large`. Points x
    beyond the range of y are not exact, and need not be: they are not nearly equal to any y.
    """
    digits = int(jnp.finfo(y.dtype).nmant)
    kept = (digits - 2 - math.ceil(math.log2(y.shape[1]))) // 2 - 1
    return jax.lax.stop_gradient(jnp.max(jnp.abs(y))) * 2.0 ** (digits - kept)


def safe_sqrt(value: Float[Array, "*s"]) -> Float[Array, "*s"]:
    """√value, with derivative 0 where value ≤ 0."""
    positive = value > 0
    return jnp.where(positive, jnp.sqrt(jnp.where(positive, value, 1.0)), 0.0)
