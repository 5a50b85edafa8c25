"""What a law of x is."""

import abc
from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Key


class Inputs(eqx.Module):
    """A law of x in R^d: a frozen pytree, so that laws of one form can be stacked in a fleet.

    Draws have the dtype that is asked for, float32 unless said otherwise, and are the same
    numbers whether or not the session enables 64-bit types.
    """

    dim: eqx.AbstractVar[int]

    @abc.abstractmethod
    def sample(self, key: Key[Array, ""], n: int, dtype: Any = jnp.float32) -> Float[Array, "n d"]:
        """n independent draws."""

    @abc.abstractmethod
    def mean(self) -> Float[Array, "d"]:
        """E x."""

    @abc.abstractmethod
    def covariance(self) -> Float[Array, "d d"]:
        """E (x − E x)(x − E x)ᵀ."""
