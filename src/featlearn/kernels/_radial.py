"""Kernels that are functions of the distance, K(x, y) = φ(s) with s = c |x − y|²/d.

In float32 a product of matrices gives |x|² + |y|² − 2⟨x, y⟩, about their common mean, with an error
of a few roundings of |x|² + |y|². What that does to K is

    risk = ε c (|x|² + |y|²)/d |φ'(s)|

A tile whose largest risk is small stays as it is. Where it is not (nearly equal points of a
kernel with a cusp, norms far above the bandwidth) distances are taken in float64 by the halves of
their digits, as `between` does, and φ alone is rounded.
"""

import abc

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.kernels._base import Kernel
from featlearn.kernels._geometry import squared_distances

ROUNDINGS = 4 * 2.0**-24  # ε: that many float32 roundings of |x|² + |y|²
RISK = 4e-6  # of K(x, x) = 1


class Radial(Kernel):
    """A kernel of the distance with K(x, x) = 1."""

    @abc.abstractmethod
    def factor(self) -> Float[Array, ""]:
        """c."""

    @abc.abstractmethod
    def profile(self, s: Float[Array, "*s"]) -> tuple[Float[Array, "*s"], Float[Array, "*s"]]:
        """φ(s) and |φ'(s)|; the second may be infinite at 0."""

    def between(self, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return self.profile(self.factor() * squared_distances(x, y))[0]

    def at(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        return jnp.ones(x.shape[0], x.dtype)

    def single_between(
        self, rows: Float[Array, "n d"], columns: Float[Array, "m d"]
    ) -> Float[Array, "n m"]:
        centre = jnp.mean(columns, axis=0)
        scale = jnp.sqrt(self.factor() / columns.shape[1])
        x, y = ((scale * (z - centre)).astype(jnp.float32) for z in (rows, columns))
        both = jnp.sum(x**2, axis=1)[:, None] + jnp.sum(y**2, axis=1)
        products = jnp.matmul(x, y.T, precision="highest")  # a GPU would leave three digits
        values, slopes = self.profile(jnp.maximum(both - 2 * products, 0.0))
        fine = jnp.max(both * slopes) * ROUNDINGS <= RISK  # not where it is NaN
        return jax.lax.cond(fine, lambda: values, lambda: self._rounded(rows, columns))

    def _rounded(self, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
        s = self.factor() * squared_distances(x, y)
        return self.profile(s.astype(jnp.float32))[0]
