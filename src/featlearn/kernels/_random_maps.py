"""What random features are, and the pieces that several of their maps share."""

import abc
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.kernels._base import as_points
from featlearn.precision import double_inside


class RandomMap(eqx.Module):
    """φ, drawn once: a pure function of x, computed in float64."""

    @abc.abstractmethod
    def of(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        """φ(x_i) in rows, for x in float64."""

    @double_inside
    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        """φ(x_i) in rows."""
        return self.of(as_points(x))


def normal(key: Key[Array, ""], shape: tuple[int, ...]) -> Array:
    """Standard normal numbers in float64."""
    return jax.random.normal(key, shape, jnp.float64)


def signs(key: Key[Array, ""], shape: tuple[int, ...]) -> Array:
    """±1 in float64."""
    return jax.random.rademacher(key, shape, jnp.float64)


def times(x: Float[Array, "*s p"], weight: Float[Array, "m p"]) -> Float[Array, "*s m"]:
    return x @ weight.T


def with_constant(x: Float[Array, "*s p"], constant: Array) -> Float[Array, "*s p+1"]:
    """x and one more column."""
    column = jnp.broadcast_to(jnp.asarray(constant, x.dtype), (*x.shape[:-1], 1))
    return jnp.concatenate([x, column], axis=-1)


def value_and_slope(
    activation: Callable[[Array], Array], z: Float[Array, "*s"]
) -> tuple[Float[Array, "*s"], Float[Array, "*s"]]:
    """φ(z) and φ'(z), entry by entry."""
    value, slope = jax.jvp(activation, (z,), (jnp.ones_like(z),))
    return value, slope
