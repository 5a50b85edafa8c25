"""Arc-cosine kernels of order 0, 1 and 2 (Cho and Saul, 2009), and their compositions.

K_n(x, y) = 2 E 1[u>0] 1[v>0] uⁿ vⁿ,    (u, v) ~ N(0, Σ),   Σ = (⟨x, x⟩  ⟨x, y⟩; ⟨y, x⟩  ⟨y, y⟩)/d
          = (|x| |y| / d)ⁿ J_n(θ)/π

J_0 = π − θ,   J_1 = sin θ + (π − θ) cos θ,   J_2 = 3 sin θ cos θ + (π − θ)(1 + 2 cos² θ)

One layer after another: Σ is then the matrix of the kernel of the layer before.
"""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.kernels._arc_cosine import relu_averages
from featlearn.kernels._base import Kernel
from featlearn.kernels._checks import check_integer
from featlearn.kernels._geometry import inner_products, safe_sqrt, squared_norms

SQUARED = (1.0, 1.0, 3.0)  # J_n(0)/π
# ab − c² carries an error of a few units of rounding of ab: smaller values mean θ = 0 or π.
COINCIDENT = 16 * float(np.finfo(np.float64).eps)


class ArcCosine(Kernel):
    """The arc-cosine kernel of an order, composed `depth` times.

    K(x, x) is 1 for order 0, |x|²/d for order 1, and for order 2 the map q ↦ 3q² applied `depth`
    times to |x|²/d. Order 1 is half of `Conjugate(depth)`. K(sx, sy) = s^(2 order^depth) K(x, y).
    Order 0 sees directions only; a zero vector has the step at its middle, 1[0 > 0] = 1/2.
    """

    order: int = eqx.field(static=True)
    depth: int = eqx.field(static=True, default=1)

    def __check_init__(self) -> None:
        if self.order not in (0, 1, 2):
            raise InvalidInputError(f"order must be 0, 1 or 2, got {self.order!r}.")
        check_integer("depth", self.depth, least=1)

    def between(self, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
        a, b, c = squared_norms(x), squared_norms(y), inner_products(x, y)
        for _ in range(self.depth):
            c = self._layer(a[:, None], b[None, :], c)
            a, b = self._next(a), self._next(b)
        return c

    def at(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        square = squared_norms(x)
        for _ in range(self.depth):
            square = self._next(square)
        return square

    def _layer(self, a: Array, b: Array, c: Array) -> Float[Array, "n m"]:
        if self.order == 0:
            return jnp.where(a * b > 0, 2 * relu_averages(a, b, c)[1], 0.5)
        if self.order == 1:
            return 2 * relu_averages(a, b, c)[0]
        return _second_order(a, b, c)

    def _next(self, square: Float[Array, "n"]) -> Float[Array, "n"]:
        """K(x, x) of a layer from that of the layer before."""
        if self.order == 0:
            return jnp.where(square > 0, 1.0, 0.5)
        return SQUARED[self.order] * square**self.order


def _second_order(a: Array, b: Array, c: Array) -> Float[Array, "n m"]:
    """(3 c s + (π − θ)(ab + 2c²))/π, with s = √(ab − c²).

    The sine and the angle come from one root: near u = ±v their errors cancel to third order.
    """
    gap = a * b - c**2
    apart = gap > COINCIDENT * a * b
    sine = safe_sqrt(jnp.where(apart, gap, 0.0))
    flat = jnp.where(c < 0, jnp.pi, 0.0)
    angle = jnp.arctan2(jnp.where(apart, sine, 1.0), jnp.where(apart, c, 1.0))
    left = jnp.pi - jnp.where(apart, angle, flat)
    return (3 * c * sine + left * (a * b + 2 * c**2)) / jnp.pi
