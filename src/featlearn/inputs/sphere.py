"""x uniform on a sphere."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.inputs._base import Inputs
from featlearn.inputs._checks import check_count, check_finite, check_shape, default_float, traced


class Sphere(Inputs):
    """Uniform on the sphere |x| = radius in R^d; √d unless given, so that the covariance is I."""

    dim: int = eqx.field(static=True)
    radius: Float[Array, ""]

    def __init__(self, dim: int, radius: Any = None) -> None:
        self.dim = check_count("dim", dim)
        radius = self.dim**0.5 if radius is None else radius
        check_shape("radius", radius, ())
        check_finite("radius", radius)
        if not traced(radius) and radius <= 0:
            raise InvalidInputError(f"radius must be positive, got {radius}.")
        self.radius = default_float(radius)

    def sample(self, key: Key[Array, ""], n: int, dtype: Any = jnp.float32) -> Float[Array, "n d"]:
        w = jax.random.normal(key, (n, self.dim), dtype)
        return self.radius.astype(dtype) * w / jnp.linalg.norm(w, axis=1, keepdims=True)

    def mean(self) -> Float[Array, "d"]:
        return default_float(jnp.zeros(self.dim))

    def covariance(self) -> Float[Array, "d d"]:
        return self.radius**2 / self.dim * default_float(jnp.eye(self.dim))

    def largest_norm(self) -> Float[Array, ""]:
        return self.radius
