"""The Matérn kernels of half-integer smoothness ν = 1/2, 3/2 and 5/2.

With t = √(2ν) |x − y| / (h √d):

    e^{−t}  (ν = 1/2)       (1 + t) e^{−t}  (ν = 3/2)       (1 + t + t²/3) e^{−t}  (ν = 5/2)
"""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.kernels._checks import check_positive
from featlearn.kernels._geometry import safe_sqrt
from featlearn.kernels._radial import Radial


class Matern(Radial):
    """Functions with ⌈ν⌉ − 1 derivatives; ν = 1/2 is `Laplace`, ν → ∞ is `RBF`.

    Distances are per root of the dimension, as in `RBF`; K(x, x) = 1. scikit-learn's length scale
    is h √d. There is no derivative at x = y for ν = 1/2; the value given there is 0, the mean of
    the one-sided ones.
    """

    nu: float = eqx.field(static=True, default=1.5)
    bandwidth: float | Float[Array, ""] = 1.0

    def __check_init__(self) -> None:
        if self.nu not in (0.5, 1.5, 2.5):
            raise InvalidInputError(
                f"nu must be 0.5, 1.5 or 2.5, got {self.nu!r}. RBF is the limit of large nu."
            )
        check_positive("bandwidth", self.bandwidth)

    def factor(self) -> Float[Array, ""]:
        return 2 * self.nu / jnp.asarray(self.bandwidth) ** 2

    def profile(self, s: Float[Array, "*s"]) -> tuple[Float[Array, "*s"], Float[Array, "*s"]]:
        t = safe_sqrt(s)
        decay = jnp.exp(-t)
        if self.nu == 0.5:
            return decay, decay / (2 * t)
        if self.nu == 1.5:
            return (1 + t) * decay, decay / 2
        return (1 + t + s / 3) * decay, (1 + t) * decay / 6
