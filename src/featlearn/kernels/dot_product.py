"""Kernels that are power series of the inner product.

K(x, y) = Σ_k c_k (⟨x, y⟩/d)^k,   c_k ≥ 0
"""

from collections.abc import Iterable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.kernels._base import Kernel
from featlearn.kernels._checks import check_not_negative
from featlearn.kernels._geometry import inner_products, squared_norms


class DotProduct(Kernel):
    """Σ_k c_k (⟨x, y⟩/d)^k from the coefficients (c_0, c_1, …), none of them negative.

    K(x, x) = Σ_k c_k (|x|²/d)^k. Positive semi-definite in every dimension, as each power is
    (Schoenberg: no other dot-product kernels are). Large degrees overflow for points whose
    |x|²/d is far above 1.
    """

    coefficients: tuple[float | Float[Array, ""], ...]

    def __init__(self, coefficients: Any) -> None:
        if isinstance(coefficients, str) or not isinstance(coefficients, Iterable):
            raise InvalidInputError(
                f"DotProduct takes its coefficients (c_0, c_1, …) as a tuple, got {coefficients!r}."
            )
        self.coefficients = tuple(coefficients)
        for k, c in enumerate(self.coefficients):
            check_not_negative(f"coefficient c_{k}", c)
        numbers = [c for c in self.coefficients if isinstance(c, int | float | np.number)]
        if not any(self.coefficients if len(numbers) == len(self.coefficients) else [True]):
            raise InvalidInputError(
                f"DotProduct needs a positive coefficient, got {self.coefficients}."
            )

    def between(self, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return self._series(inner_products(x, y))

    def at(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        return self._series(squared_norms(x))

    def _series(self, t: Float[Array, "*s"]) -> Float[Array, "*s"]:
        total = jnp.zeros_like(t)
        for c in reversed(self.coefficients):
            total = total * t + c
        return total
