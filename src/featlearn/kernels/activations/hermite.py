"""Polynomial activations by their Hermite coefficients, φ = Σ_k c_k He_k.

With w, w' ~ N(0, 1) of correlation ρ, u = √a w, v = √b w' and c = ρ√(ab), Mehler's and Stein's
formulas give sums that end, and in which no variance divides:

    E φ(u) φ(v)   = Σ_m E φ^{(m)}(√a w) E φ^{(m)}(√b w) c^m/m!
    E φ'(u) φ'(v) = the same with φ' in place of φ
    E φ^{(m)}(√a w) = Σ_j c_{m+2j} (m + 2j)!/(2j)! (2j − 1)!! (a − 1)^j
"""

from math import factorial, prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.kernels.activations._base import Activation, Averages, Squares


class Hermite(Activation):
    """φ(z) = Σ_k c_k He_k(z), exactly; c = (0, 1, 0.5) is z + (z² − 1)/2.

    He_k are the probabilists' polynomials, E He_k² = k! under N(0, 1). The variances a of a
    network's pre-activations need not be 1.
    """

    coefficients: tuple[float | Float[Array, ""], ...]

    def __init__(self, coefficients: Any) -> None:
        self.coefficients = tuple(coefficients)
        numbers = [c for c in self.coefficients if not isinstance(c, jax.Array)]
        if not all(np.isfinite(c) for c in numbers) or len(self.coefficients) < 2:
            raise InvalidInputError(
                "Hermite takes finite coefficients c_0, c_1, … of He_0, He_1, …, two at least, "
                f"got {coefficients!r}."
            )

    def __call__(self, z: Float[Array, "*s"]) -> Float[Array, "*s"]:
        before, he = jnp.zeros_like(z), jnp.ones_like(z)
        total = self.coefficients[0] * he
        for k, c in enumerate(self.coefficients[1:]):
            before, he = he, z * he - k * before
            total = total + c * he
        return total

    def averages(self, a: Array, b: Array, c: Array) -> Averages:
        left, right = self._derivatives(a), self._derivatives(b)
        return _series(left, right, c), _series(left[1:], right[1:], c)

    def at(self, a: Array) -> Squares:
        means = self._derivatives(a)
        return _series(means, means, a), _series(means[1:], means[1:], a)

    def _derivatives(self, a: Array) -> list[Array]:
        """E φ^{(m)}(√a w) for each m, from E He_{2j}(√a w) = (2j − 1)!! (a − 1)^j."""
        degree = len(self.coefficients) - 1
        means = []
        for m in range(degree + 1):
            total = jnp.zeros_like(a)
            for k in range(degree - (degree - m) % 2, m - 1, -2):
                odd = prod(range(k - m - 1, 0, -2))
                total = (
                    total * (a - 1)
                    + factorial(k) // factorial(k - m) * odd * (self.coefficients[k])
                )
            means.append(total)
        return means


def _series(left: list[Array], right: list[Array], c: Array) -> Array:
    """Σ_m l_m r_m c^m / m!."""
    total = jnp.zeros_like(c)
    for m in reversed(range(len(left))):
        total = left[m] * right[m] + total * c / (m + 1)
    return total
