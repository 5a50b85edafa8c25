"""The Laplace kernel."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.kernels._base import Kernel
from featlearn.kernels._checks import check_positive
from featlearn.kernels._geometry import safe_sqrt, squared_distances


class Laplace(Kernel):
    """K(x, y) = exp(−|x − y| / (h √d)), with the Euclidean norm and K(x, x) = 1.

    Distances are per root of the dimension, as in `RBF`. There is no derivative at x = y; the
    value given there is 0, the mean of the one-sided ones.
    """

    bandwidth: float | Float[Array, ""] = 1.0

    def __check_init__(self) -> None:
        check_positive("bandwidth", self.bandwidth)

    def between(self, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return jnp.exp(-safe_sqrt(squared_distances(x, y)) / self.bandwidth)

    def at(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        return jnp.ones(x.shape[0], x.dtype)
