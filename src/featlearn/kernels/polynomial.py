"""The polynomial kernel."""

import equinox as eqx
import numpy as np
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.kernels._base import Kernel
from featlearn.kernels._checks import check_not_negative
from featlearn.kernels._geometry import inner_products, squared_norms


class Polynomial(Kernel):
    """K(x, y) = (⟨x, y⟩/d + offset)^degree, with K(x, x) = (|x|²/d + offset)^degree.

    With a positive offset it spans every monomial up to `degree`, C(d + degree, degree) of them;
    with offset 0 those of degree `degree` alone.
    """

    degree: int = eqx.field(static=True)
    offset: float | Float[Array, ""] = 1.0

    def __check_init__(self) -> None:
        if not isinstance(self.degree, int | np.integer) or self.degree < 1:
            raise InvalidInputError(
                f"degree must be an integer of at least 1, got {self.degree!r}."
            )
        check_not_negative("offset", self.offset)

    def between(self, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return (inner_products(x, y) + self.offset) ** self.degree

    def at(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        return (squared_norms(x) + self.offset) ** self.degree
