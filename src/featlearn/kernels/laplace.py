"""The Laplace kernel."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.kernels._checks import check_positive
from featlearn.kernels._geometry import safe_sqrt
from featlearn.kernels._radial import Radial


class Laplace(Radial):
    """K(x, y) = exp(−|x − y| / (h √d)), with the Euclidean norm and K(x, x) = 1.

    Distances are per root of the dimension, as in `RBF`. There is no derivative at x = y; the
    value given there is 0, the mean of the one-sided ones.
    """

    bandwidth: float | Float[Array, ""] = 1.0

    def __check_init__(self) -> None:
        check_positive("bandwidth", self.bandwidth)

    def factor(self) -> Float[Array, ""]:
        return 1 / jnp.asarray(self.bandwidth) ** 2

    def profile(self, s: Float[Array, "*s"]) -> tuple[Float[Array, "*s"], Float[Array, "*s"]]:
        root = safe_sqrt(s)
        value = jnp.exp(-root)
        return value, value / (2 * root)
