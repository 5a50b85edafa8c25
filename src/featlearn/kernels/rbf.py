"""The Gaussian kernel."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.kernels._checks import check_positive
from featlearn.kernels._radial import Radial


class RBF(Radial):
    """K(x, y) = exp(−|x − y|² / (2 h² d)), with K(x, x) = 1.

    Distances are per root of the dimension: for standardised columns |x − y|²/d ≈ 2, so that a
    bandwidth h of order 1 is sensible at any d. scikit-learn's gamma is 1/(2 h² d).
    """

    bandwidth: float | Float[Array, ""] = 1.0

    def __check_init__(self) -> None:
        check_positive("bandwidth", self.bandwidth)

    def factor(self) -> Float[Array, ""]:
        return 1 / (2 * jnp.asarray(self.bandwidth) ** 2)

    def profile(self, s: Float[Array, "*s"]) -> tuple[Float[Array, "*s"], Float[Array, "*s"]]:
        value = jnp.exp(-s)
        return value, value
