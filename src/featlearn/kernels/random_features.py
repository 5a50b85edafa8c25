"""Random features of a kernel: E ⟨φ(x), φ(y)⟩ = K(x, y), with φ of any width m.

    RBF, Matern     φ_j = √(2/m) cos(⟨w_j, x⟩ + b_j),  b_j uniform on [0, 2π]
                    w = g/(h√d) for RBF; for Matern over √(χ²/2ν): g standard normal, χ² of 2ν
                    degrees of freedom, so that w is multivariate Student. Laplace is ν = 1/2
    Polynomial      φ_j = Π_p ⟨s_jp, (x/√d, √offset)⟩/√m,  s random signs, p = 1 … degree
    Conjugate       c_0 = (σ_w x/√d, σ_b),  c_l = (σ_w relu(G_l c_{l−1})/√m, σ_b),  φ = c_L
    NTK             t_0 = c_0,  t_l = (c_l, σ_w 1[G_l c_{l−1} > 0] · (P_l t_{l−1})/√m),  φ = t_L

with G, P standard normal; networks are those of ReLU. Expectations are exact, but for networks of
more than one hidden layer: there inner layers are of finite width too, and the mean is off by
O(1/m).
"""

import abc
from functools import singledispatch

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.kernels._base import Kernel
from featlearn.kernels.activations import Relu
from featlearn.kernels.conjugate import Conjugate
from featlearn.kernels.laplace import Laplace
from featlearn.kernels.matern import Matern
from featlearn.kernels.ntk import NTK
from featlearn.kernels.polynomial import Polynomial
from featlearn.kernels.rbf import RBF


class RandomMap(eqx.Module):
    """φ, drawn once: a pure function of x, computed in float64."""

    @abc.abstractmethod
    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        """φ(x_i) in rows."""


def random_features(kernel: Kernel, width: int, key: Key[Array, ""], *, dim: int) -> RandomMap:
    """`width` random features of a kernel for points of dimension `dim`.

    `draw.register` teaches it another kernel.
    """
    least = LEAST_WIDTH.get(type(kernel), 1)
    whole = isinstance(width, int | np.integer) and not isinstance(width, bool)
    if not whole or width < least:
        raise InvalidInputError(
            f"width must be a whole number of at least {least} for {type(kernel).__name__}, "
            f"got {width}."
        )
    return draw(kernel, width, key, dim)


LEAST_WIDTH: dict[type[Kernel], int] = {Conjugate: 2, NTK: 3}  # a constant, and a neuron of a kind


@singledispatch
def draw(kernel: Kernel, width: int, key: Key[Array, ""], dim: int) -> RandomMap:
    """The map of a kernel, by its class."""
    raise InvalidInputError(
        f"No random features are known for {type(kernel).__name__}: give one of "
        f"{', '.join(sorted(c.__name__ for c in draw.registry if c is not object))}, or teach it "
        "with featlearn.kernels.random_features.draw.register."
    )


class Fourier(RandomMap):
    """√(2/m) cos(Wx + b)."""

    frequencies: Float[Array, "m d"]
    phases: Float[Array, "m"]

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        angles = _times(x.astype(jnp.float64), self.frequencies) + self.phases
        return jnp.sqrt(2 / self.phases.size) * jnp.cos(angles)


@draw.register
def _(kernel: RBF, width: int, key: Key[Array, ""], dim: int) -> RandomMap:
    return fourier(kernel.bandwidth, width, key, dim)


@draw.register
def _(kernel: Laplace, width: int, key: Key[Array, ""], dim: int) -> RandomMap:
    return fourier(kernel.bandwidth, width, key, dim, freedom=1)


@draw.register
def _(kernel: Matern, width: int, key: Key[Array, ""], dim: int) -> RandomMap:
    return fourier(kernel.bandwidth, width, key, dim, freedom=round(2 * kernel.nu))


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
    frequencies = _normal(key_g, (width, dim)) / (bandwidth * np.sqrt(dim))
    if freedom is not None:
        squares = jnp.sum(_normal(key_tail, (width, freedom)) ** 2, axis=1)
        frequencies = frequencies * jnp.sqrt(freedom / squares)[:, None]
    phases = jax.random.uniform(key_phase, (width,), jnp.float64, maxval=2 * np.pi)
    return Fourier(frequencies, phases)


class SignProducts(RandomMap):
    """Π_p ⟨s_p, (x/√d, √offset)⟩/√m."""

    signs: Float[Array, "p m d+1"]
    offset: Float[Array, ""] | float

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        x = x.astype(jnp.float64) / np.sqrt(x.shape[1])
        rows = _with_constant(x, jnp.sqrt(self.offset))
        parts = jnp.stack([_times(rows, each) for each in self.signs])
        return jnp.prod(parts, axis=0) / np.sqrt(self.signs.shape[1])


@draw.register
def _(kernel: Polynomial, width: int, key: Key[Array, ""], dim: int) -> RandomMap:
    signs = jax.random.rademacher(key, (kernel.degree, width, dim + 1), jnp.float64)
    return SignProducts(signs, kernel.offset)


class Layer(eqx.Module):
    """Neurons of one layer, and for a tangent kernel gates with what they multiply."""

    neurons: Float[Array, "m p"]
    gates: Float[Array, "g p"] | None = None
    gated: Float[Array, "g q"] | None = None


class Neurons(RandomMap):
    """c_L, or t_L where the layers have gates."""

    layers: tuple[Layer, ...]
    weight: Float[Array, ""] | float
    bias: Float[Array, ""] | float

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        weight, bias = jnp.sqrt(self.weight), jnp.sqrt(self.bias)
        c = _with_constant(weight * x.astype(jnp.float64) / np.sqrt(x.shape[1]), bias)
        t = c
        for layer in self.layers:
            after = jax.nn.relu(_times(c, layer.neurons)) / np.sqrt(layer.neurons.shape[0])
            after = _with_constant(weight * after, bias)
            if layer.gates is not None and layer.gated is not None:
                open_ = (_times(c, layer.gates) > 0) / np.sqrt(layer.gates.shape[0])
                t = jnp.concatenate([after, weight * open_ * _times(t, layer.gated)], axis=1)
            else:
                t = after
            c = after
        return t


@draw.register
def _(kernel: Conjugate, width: int, key: Key[Array, ""], dim: int) -> RandomMap:
    return _network(kernel, width - 1, 0, key, dim)


@draw.register
def _(kernel: NTK, width: int, key: Key[Array, ""], dim: int) -> RandomMap:
    neurons = (width - 1) // 2
    return _network(kernel, neurons, width - 1 - neurons, key, dim)


def _network(
    kernel: Conjugate | NTK, neurons: int, gates: int, key: Key[Array, ""], dim: int
) -> Neurons:
    if not isinstance(kernel.activation, Relu):
        raise InvalidInputError(
            f"Random features of {type(kernel).__name__} are known for ReLU alone, got the "
            f"activation {type(kernel.activation).__name__}: leave out activation, or compute the "
            "Gram matrix itself."
        )
    layers, inputs, tangents = [], dim + 1, dim + 1
    for each in jax.random.split(key, kernel.depth):
        one, two, three = jax.random.split(each, 3)
        layer = Layer(_normal(one, (neurons, inputs)))
        if gates:
            gated = _normal(three, (gates, tangents))
            layer = Layer(layer.neurons, _normal(two, (gates, inputs)), gated)
        layers.append(layer)
        inputs, tangents = neurons + 1, neurons + 1 + gates
    return Neurons(tuple(layers), kernel.weight_variance, kernel.bias_variance)


def _normal(key: Key[Array, ""], shape: tuple[int, ...]) -> Array:
    return jax.random.normal(key, shape, jnp.float64)


def _times(x: Float[Array, "n p"], weight: Float[Array, "m p"]) -> Float[Array, "n m"]:
    return x @ weight.T


def _with_constant(x: Float[Array, "n d"], constant: Array) -> Float[Array, "n d+1"]:
    column = jnp.broadcast_to(jnp.asarray(constant, x.dtype), (x.shape[0], 1))
    return jnp.concatenate([x, column], axis=1)
