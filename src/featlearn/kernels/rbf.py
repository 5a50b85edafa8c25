"""The Gaussian kernel."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.kernels._base import Kernel
from featlearn.kernels._checks import check_positive
from featlearn.kernels._geometry import squared_distances


class RBF(Kernel):
    """K(x, y) = exp(−|x − y|² / (2 h² d)), with K(x, x) = 1.

    Distances are per root of the dimension: for standardised columns |x − y|²/d ≈ 2, so that a
    bandwidth h of order 1 is sensible at any d. scikit-learn's gamma is 1/(2 h² d).
    """

    bandwidth: float | Float[Array, ""] = 1.0

    def __check_init__(self) -> None:
        check_positive("bandwidth", self.bandwidth)

    def between(self, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return jnp.exp(-squared_distances(x, y) / (2 * self.bandwidth**2))

    def at(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        return jnp.ones(x.shape[0], x.dtype)
