"""x uniform on {−1, 1}^d."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.inputs._base import Inputs
from featlearn.inputs._checks import check_count, default_float


class Hypercube(Inputs):
    """Independent signs, each ±1 with probability ½."""

    dim: int = eqx.field(static=True)

    def __init__(self, dim: int) -> None:
        self.dim = check_count("dim", dim)

    def sample(self, key: Key[Array, ""], n: int, dtype: Any = jnp.float32) -> Float[Array, "n d"]:
        # float32 draws by name: random.rademacher draws in the session's float
        up = jax.random.uniform(key, (n, self.dim), jnp.float32) < 0.5
        return jnp.where(up, jnp.ones((), dtype), -jnp.ones((), dtype))

    def mean(self) -> Float[Array, "d"]:
        return default_float(jnp.zeros(self.dim))

    def covariance(self) -> Float[Array, "d d"]:
        return default_float(jnp.eye(self.dim))

    def largest_norm(self) -> float:
        return self.dim**0.5
