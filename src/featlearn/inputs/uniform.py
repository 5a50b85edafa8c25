"""x uniform on a box."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.inputs._base import Inputs
from featlearn.inputs._checks import check_count, check_finite, check_shape, default_float, traced


class Uniform(Inputs):
    """Independent coordinates, uniform on [low, high): scalars, or one number per coordinate.

    The default interval [−√3, √3) has mean 0 and variance 1.
    """

    dim: int = eqx.field(static=True)
    low: Float[Array, "*d"]
    high: Float[Array, "*d"]

    def __init__(self, dim: int, low: Any = -(3**0.5), high: Any = 3**0.5) -> None:
        self.dim = check_count("dim", dim)
        for name, value in (("low", low), ("high", high)):
            check_shape(name, value, (), (self.dim,))
            check_finite(name, value)
        if not traced(low, high) and np.any(np.asarray(low) >= np.asarray(high)):
            raise InvalidInputError(
                f"low must be below high in every coordinate, got low = {low} and high = {high}."
            )
        self.low, self.high = default_float(low), default_float(high)

    def sample(self, key: Key[Array, ""], n: int, dtype: Any = jnp.float32) -> Float[Array, "n d"]:
        low, high = self.low.astype(dtype), self.high.astype(dtype)
        return jax.random.uniform(key, (n, self.dim), dtype, minval=low, maxval=high)

    def mean(self) -> Float[Array, "d"]:
        return jnp.broadcast_to((self.low + self.high) / 2, (self.dim,))

    def covariance(self) -> Float[Array, "d d"]:
        return jnp.diag(jnp.broadcast_to((self.high - self.low) ** 2 / 12, (self.dim,)))

    def largest_norm(self) -> Float[Array, ""]:
        furthest = jnp.maximum(jnp.abs(self.low), jnp.abs(self.high))
        return jnp.linalg.norm(jnp.broadcast_to(furthest, (self.dim,)))
