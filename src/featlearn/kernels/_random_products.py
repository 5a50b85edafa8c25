"""Random features of kernels that are functions of distances, or series of inner products."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from featlearn.kernels._random_maps import RandomMap, normal, signs, times, with_constant
from featlearn.kernels.dot_product import DotProduct
from featlearn.kernels.polynomial import Polynomial


class Fourier(RandomMap):
    """√(2/m) cos(Wx + b)."""

    frequencies: Float[Array, "m d"]
    phases: Float[Array, "m"]

    def of(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        angles = times(x, self.frequencies) + self.phases
        return jnp.sqrt(2 / self.phases.size) * jnp.cos(angles)


def fourier(
    bandwidth: float | Float[Array, ""],
    width: int,
    key: Key[Array, ""],
    dim: int,
    freedom: int | None = None,
) -> Fourier:
    """Normal frequencies g/(h√d), or Student's: over √(χ²/f) with f = `freedom` degrees.

    f = 2ν belongs to the Matérn kernel of smoothness ν, with distances √(2ν) |x − y|/(h√d).
    """
    key_g, key_tail, key_phase = jax.random.split(key, 3)
    frequencies = normal(key_g, (width, dim)) / (bandwidth * np.sqrt(dim))
    if freedom is not None:
        squares = jnp.sum(normal(key_tail, (width, freedom)) ** 2, axis=1)
        frequencies = frequencies * jnp.sqrt(freedom / squares)[:, None]
    phases = jax.random.uniform(key_phase, (width,), jnp.float64, maxval=2 * np.pi)
    return Fourier(frequencies, phases)


class SignProducts(RandomMap):
    """Π_p ⟨s_p, (x/√d, √offset)⟩/√m."""

    signs: Float[Array, "p m d+1"]
    offset: Float[Array, ""] | float

    def of(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        x = x / np.sqrt(x.shape[1])
        rows = with_constant(x, jnp.sqrt(self.offset))
        parts = jnp.stack([times(rows, each) for each in self.signs])
        return jnp.prod(parts, axis=0) / np.sqrt(self.signs.shape[1])


def polynomial_map(kernel: Polynomial, width: int, key: Key[Array, ""], dim: int) -> SignProducts:
    return SignProducts(signs(key, (kernel.degree, width, dim + 1)), kernel.offset)


class Maclaurin(RandomMap):
    """√c_0, and √(C/m) Π_{p ≤ k_j} ⟨s_jp, x/√d⟩ for each j = 1 … m."""

    signs: Float[Array, "p m d"]
    degrees: Int[Array, "m"]
    constant: Float[Array, ""]  # c_0
    total: Float[Array, ""]  # C

    def of(self, x: Float[Array, "n d"]) -> Float[Array, "n m+1"]:
        x = x / np.sqrt(x.shape[1])
        product = jnp.ones((x.shape[0], self.degrees.size), jnp.float64)
        for p, each in enumerate(self.signs):
            product = product * jnp.where(p < self.degrees, times(x, each), 1.0)
        root = jnp.sqrt(self.total / self.degrees.size)
        return with_constant(root * product, jnp.sqrt(self.constant))


def maclaurin(kernel: DotProduct, width: int, key: Key[Array, ""], dim: int) -> Maclaurin:
    """Degree k is drawn with probability c_k/C, C = c_1 + c_2 + …, by systematic sampling.

    So the number of features of a degree is off by less than 1, and the mean is exact.
    """
    key_signs, key_start = jax.random.split(key)
    constant, *series = (jnp.asarray(c, jnp.float64) for c in kernel.coefficients)
    if not series:
        series = [jnp.zeros((), jnp.float64)]
    shares = jnp.cumsum(jnp.stack(series))
    start = jax.random.uniform(key_start, (), jnp.float64)
    places = (jnp.arange(width - 1) + start) / (width - 1) * shares[-1]
    degrees = 1 + jnp.minimum(jnp.searchsorted(shares, places, side="right"), len(series) - 1)
    drawn = signs(key_signs, (len(series), width - 1, dim))
    return Maclaurin(drawn, degrees, constant, shares[-1])
