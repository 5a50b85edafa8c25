"""Activations φ, and the two Gaussian averages by which they enter a kernel.

For (u, v) centred Gaussian with variances a, b and covariance c:

    E φ(u) φ(v)     how covariances pass through a layer
    E φ'(u) φ'(v)   how tangents do; it is ∂/∂c of the first

Both are written in a, b and c alone, never in the correlation c/√(ab): nothing is divided by a
variance, and derivatives are finite where u = ±v and where a point has no variance.
"""

import abc

import equinox as eqx
from jaxtyping import Array, Float

Averages = tuple[Float[Array, "n m"], Float[Array, "n m"]]
Squares = tuple[Float[Array, "n"], Float[Array, "n"]]


class Activation(eqx.Module):
    """φ, applied to each neuron. Float fields are leaves, and can be stacked and tuned."""

    @abc.abstractmethod
    def __call__(self, z: Float[Array, "*s"]) -> Float[Array, "*s"]:
        """φ(z), for networks of finite width."""

    @abc.abstractmethod
    def averages(
        self, a: Float[Array, "n 1"], b: Float[Array, "1 m"], c: Float[Array, "n m"]
    ) -> Averages:
        """E φ(u) φ(v) and E φ'(u) φ'(v)."""

    @abc.abstractmethod
    def at(self, a: Float[Array, "n"]) -> Squares:
        """E φ(u)² and E φ'(u)²: the averages at u = v, to rounding."""
