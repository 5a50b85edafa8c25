"""Activations whose Gaussian averages have a closed form."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.kernels._arc_cosine import relu_averages
from featlearn.kernels._checks import check_positive
from featlearn.kernels.activations._base import Activation, Averages, Squares


class Relu(Activation):
    """φ(z) = max(z, 0)."""

    def __call__(self, z: Float[Array, "*s"]) -> Float[Array, "*s"]:
        return jax.nn.relu(z)

    def averages(self, a: Array, b: Array, c: Array) -> Averages:
        return relu_averages(a, b, c)

    def at(self, a: Array) -> Squares:
        return a / 2, jnp.full_like(a, 0.5)


class Erf(Activation):
    """φ(z) = erf(z) = 2/√π ∫_0^z e^{−s²} ds.

    With D = (1 + 2a)(1 + 2b) − 4c²:  E φφ = 2/π arctan(2c/√D),  E φ'φ' = 4/(π √D).
    """

    def __call__(self, z: Float[Array, "*s"]) -> Float[Array, "*s"]:
        return jax.lax.erf(z)

    def averages(self, a: Array, b: Array, c: Array) -> Averages:
        root = jnp.sqrt(1 + 2 * a + 2 * b + 4 * _determinant(a, b, c))
        return 2 / jnp.pi * jnp.arctan2(2 * c, root), 4 / jnp.pi / root

    def at(self, a: Array) -> Squares:
        root = jnp.sqrt(1 + 4 * a)
        return 2 / jnp.pi * jnp.arctan2(2 * a, root), 4 / jnp.pi / root


class Quadratic(Activation):
    """φ(z) = z²:  E φφ = ab + 2c²,  E φ'φ' = 4c."""

    def __call__(self, z: Float[Array, "*s"]) -> Float[Array, "*s"]:
        return z**2

    def averages(self, a: Array, b: Array, c: Array) -> Averages:
        return a * b + 2 * c**2, 4 * c

    def at(self, a: Array) -> Squares:
        return 3 * a**2, 4 * a


class GaussianBump(Activation):
    """φ(z) = exp(−z²/2).

    With D = (1 + a)(1 + b) − c²:  E φφ = 1/√D,  E φ'φ' = c/D^{3/2}.
    """

    def __call__(self, z: Float[Array, "*s"]) -> Float[Array, "*s"]:
        return jnp.exp(-(z**2) / 2)

    def averages(self, a: Array, b: Array, c: Array) -> Averages:
        d = 1 + a + b + _determinant(a, b, c)
        return 1 / jnp.sqrt(d), c / (d * jnp.sqrt(d))

    def at(self, a: Array) -> Squares:
        d = 1 + 2 * a
        return 1 / jnp.sqrt(d), a / (d * jnp.sqrt(d))


class Sine(Activation):
    """φ(z) = sin(ωz):  E φφ = e^{−ω²(a+b)/2} sinh(ω²c),  E φ'φ' = ω² e^{−ω²(a+b)/2} cosh(ω²c)."""

    frequency: float | Float[Array, ""] = 1.0

    def __check_init__(self) -> None:
        check_positive("frequency", self.frequency)

    def __call__(self, z: Float[Array, "*s"]) -> Float[Array, "*s"]:
        return jnp.sin(self.frequency * z)

    def averages(self, a: Array, b: Array, c: Array) -> Averages:
        square = self.frequency**2
        sines, cosines = _waves(square * a, square * b, square * c)
        return sines, square * cosines

    def at(self, a: Array) -> Squares:
        square = self.frequency**2
        sine, cosine = _squared_waves(square * a)
        return sine, square * cosine


class Cosine(Activation):
    """φ(z) = cos(ωz):  E φφ = e^{−ω²(a+b)/2} cosh(ω²c),  E φ'φ' = ω² e^{−ω²(a+b)/2} sinh(ω²c)."""

    frequency: float | Float[Array, ""] = 1.0

    def __check_init__(self) -> None:
        check_positive("frequency", self.frequency)

    def __call__(self, z: Float[Array, "*s"]) -> Float[Array, "*s"]:
        return jnp.cos(self.frequency * z)

    def averages(self, a: Array, b: Array, c: Array) -> Averages:
        square = self.frequency**2
        sines, cosines = _waves(square * a, square * b, square * c)
        return cosines, square * sines

    def at(self, a: Array) -> Squares:
        square = self.frequency**2
        sine, cosine = _squared_waves(square * a)
        return cosine, square * sine


def _determinant(a: Array, b: Array, c: Array) -> Float[Array, "n m"]:
    """ab − c²; below 0 it is rounding."""
    return jnp.maximum(a * b - c**2, 0.0)


def _waves(a: Array, b: Array, c: Array) -> Averages:
    """E sin u sin v and E cos u cos v, as (e^{−Var(u−v)/2} ∓ e^{−Var(u+v)/2}) / 2.

    Written with the larger of the two powers, neither overflows and small c keep their digits.
    |c| exceeds (a + b)/2 by rounding only, which is not small where a is large.
    """
    sign = jnp.where(c < 0, -1.0, 1.0)
    larger = jnp.exp(jnp.minimum(sign * c - (a + b) / 2, 0.0)) / 2
    less = jnp.expm1(-2 * sign * c)
    return -sign * larger * less, larger * (2 + less)


def _squared_waves(a: Array) -> Squares:
    """E sin² u and E cos² u."""
    return -jnp.expm1(-2 * a) / 2, (1 + jnp.exp(-2 * a)) / 2
