"""What a law of x is."""

import abc
from typing import Any, NamedTuple

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Key


class GaussianPart(NamedTuple):
    """One Gaussian of a law that is a mixture of Gaussians."""

    weight: Any  # ()
    mean: Any  # (d,)
    covariance: Any  # (d, d)


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

    def largest_norm(self) -> Any:
        """The least R with |x| ≤ R, () or a float; None where x is unbounded or R not known."""
        return None

    @property
    def standard(self) -> bool:
        """Whether the law is N(0, I), as far as that can be told; a traced law cannot tell."""
        return False

    def gaussian_parts(self) -> tuple[GaussianPart, ...]:
        """The law as a mixture of Gaussians, whose moments of polynomials are exact; or ()."""
        return ()
