"""Random features of network kernels: the last layers of networks of width m.

A field z has neurons z_j(x) of covariance Σ, a field τ has τ_j(x) of covariance Θ, independent of
z. With normal weights G, P, Q of their own everywhere,

    c' = (σ_w φ(z)/√m, σ_b)          G c'                                     has covariance Σ'
    t' = (c', σ_w φ'(z) ⊙ τ/√m)      Q c' + σ_w P (φ'(z) ⊙ τ)/√m              has covariance Θ'

so that the inner product of two c' (two t') estimates the conjugate kernel (the NTK).
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.kernels._random_maps import (
    RandomMap,
    normal,
    signs,
    times,
    value_and_slope,
    with_constant,
)
from featlearn.kernels.activations import Activation
from featlearn.kernels.arc_cosine import ArcCosine
from featlearn.kernels.conjugate import Conjugate
from featlearn.kernels.convolutional import ConvolutionalConjugate, ConvolutionalNTK
from featlearn.kernels.ntk import NTK
from featlearn.kernels.residual import ResidualConjugate, ResidualNTK

Number = Float[Array, ""] | float


class Layer(eqx.Module):
    """Neurons of one layer, and for a tangent kernel gates with what they multiply."""

    neurons: Float[Array, "m p"]
    gates: Float[Array, "g p"] | None = None
    gated: Float[Array, "g q"] | None = None


class Neurons(RandomMap):
    """c_L, or t_L where the layers have gates: neurons of their own, so that depth 1 is exact."""

    layers: tuple[Layer, ...]
    weight: Number
    bias: Number
    activation: Activation

    def of(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        weight, bias = jnp.sqrt(self.weight), jnp.sqrt(self.bias)
        c = _first(x, weight, bias)
        t = c
        for layer in self.layers:
            after = self.activation(times(c, layer.neurons)) / np.sqrt(layer.neurons.shape[0])
            after = with_constant(weight * after, bias)
            if layer.gates is not None and layer.gated is not None:
                _, slope = value_and_slope(self.activation, times(c, layer.gates))
                passed = slope * times(t, layer.gated) / np.sqrt(layer.gates.shape[0])
                t = jnp.concatenate([after, weight * passed], axis=1)
            else:
                t = after
            c = after
        return t


def conjugate_map(kernel: Conjugate, width: int, key: Key[Array, ""], dim: int) -> Neurons:
    return _neurons(kernel, width - 1, 0, key, dim)


def tangent_map(kernel: NTK, width: int, key: Key[Array, ""], dim: int) -> Neurons:
    neurons = (width - 1) // 2
    return _neurons(kernel, neurons, width - 1 - neurons, key, dim)


def _neurons(
    kernel: Conjugate | NTK, neurons: int, gates: int, key: Key[Array, ""], dim: int
) -> Neurons:
    layers, inputs, tangents = [], dim + 1, dim + 1
    for each in jax.random.split(key, kernel.depth):
        one, two, three = jax.random.split(each, 3)
        layer = Layer(normal(one, (neurons, inputs)))
        if gates:
            gated = normal(three, (gates, tangents))
            layer = Layer(layer.neurons, normal(two, (gates, inputs)), gated)
        layers.append(layer)
        inputs, tangents = neurons + 1, neurons + 1 + gates
    return Neurons(tuple(layers), kernel.weight_variance, kernel.bias_variance, kernel.activation)


class Powers(RandomMap):
    """h_l = √(2/m) 1[z > 0] zⁿ of z = G_l h_{l−1}, with 1[0 > 0] = ½; h_0 = x/√d."""

    neurons: tuple[Float[Array, "m p"], ...]
    order: int = eqx.field(static=True)

    def of(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        h = x / np.sqrt(x.shape[1])
        for weight in self.neurons:
            z = times(h, weight)
            h = np.sqrt(2 / weight.shape[0]) * jnp.heaviside(z, 0.5) * z**self.order
        return h


def arc_cosine_map(kernel: ArcCosine, width: int, key: Key[Array, ""], dim: int) -> Powers:
    sizes = [dim] + [width] * kernel.depth
    keys = jax.random.split(key, kernel.depth)
    shapes = zip(sizes[1:], sizes[:-1], strict=True)
    return Powers(tuple(normal(k, s) for k, s in zip(keys, shapes, strict=True)), kernel.order)


class Fields(eqx.Module):
    """G, and for a tangent kernel Q and P, of one layer."""

    neurons: Float[Array, "m p"]
    tangent: Float[Array, "m p"] | None = None
    passed: Float[Array, "m q"] | None = None


class ResidualNeurons(RandomMap):
    """c_{L+1}, or t_{L+1} where the blocks have tangents.

    z_l = z_{l−1} + s G_l c_l;   τ_l = τ_{l−1} + s (Q_l c_l + σ_w P_l (φ'(z_{l−1}) ⊙ τ_{l−1})/√m)
    """

    layers: tuple[Fields, ...]  # the first reads x
    scale: Number
    weight: Number
    bias: Number
    activation: Activation
    width: int = eqx.field(static=True)

    def of(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        weight, bias = jnp.sqrt(self.weight), jnp.sqrt(self.bias)
        first, *blocks = self.layers
        c = _first(x, weight, bias)
        root = weight / np.sqrt(first.neurons.shape[0])
        z, tau = times(c, first.neurons), _tau(first, c)
        for block in blocks:
            value, slope = value_and_slope(self.activation, z)
            c = with_constant(root * value, bias)
            if tau is not None:
                tau = tau + self.scale * _tau(block, c, root * slope * tau)
            z = z + self.scale * times(c, block.neurons)
        value, slope = value_and_slope(self.activation, z)
        return _last(root * value, None if tau is None else root * slope * tau, bias, self.width)


def residual_map(
    kernel: ResidualConjugate | ResidualNTK, width: int, key: Key[Array, ""], dim: int
) -> ResidualNeurons:
    tangents = isinstance(kernel, ResidualNTK)
    m = width // 2 if tangents else width - 1
    inputs = [dim + 1] + [m + 1] * kernel.blocks
    return ResidualNeurons(
        _fields(key, m, inputs, tangents),
        kernel.scale,
        kernel.weight_variance,
        kernel.bias_variance,
        kernel.activation,
        width,
    )


class Filtered(RandomMap):
    """The convolutional network: fields z and τ of every position, and what is read of them.

    z_{l+1} = A_G c_l,   τ_{l+1} = A_Q c_l + σ_w A_P (φ'(z_l) ⊙ τ_l)/√m        A over q² positions

    "pool" reads means over positions; "flatten" their sum with random signs ±1/√|P|, which leaves
    the pairs p = p′ in the mean.
    """

    layers: tuple[Fields, ...]
    readout: Float[Array, "p m"]
    weight: Number
    bias: Number
    image: tuple[int, int, int] = eqx.field(static=True)
    size: int = eqx.field(static=True)
    edges: str = eqx.field(static=True)  # mode of jnp.pad
    width: int = eqx.field(static=True)

    def of(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        weight, bias = jnp.sqrt(self.weight), jnp.sqrt(self.bias)
        first, *later = self.layers
        images = x.reshape(-1, *self.image)
        root = weight / np.sqrt(first.neurons.shape[0])
        c = with_constant(self._patches(images * weight / np.sqrt(self.image[-1])), bias)
        z, tau = times(c, first.neurons), _tau(first, c)
        for layer in later:
            value, slope = value_and_slope(jax.nn.relu, z)
            c = with_constant(self._patches(root * value), bias)
            if tau is not None:
                tau = _tau(layer, c, self._patches(root * slope * tau))
            z = times(c, layer.neurons)
        value, slope = value_and_slope(jax.nn.relu, z)
        passed = None if tau is None else self._read(root * slope * tau)
        return _last(self._read(root * value), passed, bias, self.width)

    def _patches(self, h: Float[Array, "n h w c"]) -> Float[Array, "n h w qqc"]:
        """h(p + r)/q for each position r of a filter."""
        height, width, reach = *self.image[:2], self.size // 2
        around = ((0, 0), (reach, reach), (reach, reach), (0, 0))
        padded = jnp.pad(h, around, mode=self.edges)
        parts = [
            padded[:, i : i + height, j : j + width]
            for i in range(self.size)
            for j in range(self.size)
        ]
        return jnp.concatenate(parts, axis=-1) / self.size

    def _read(self, h: Float[Array, "n h w m"]) -> Float[Array, "n m"]:
        return jnp.einsum("npm,pm->nm", h.reshape(len(h), -1, h.shape[-1]), self.readout)


def convolutional_map(
    kernel: ConvolutionalConjugate | ConvolutionalNTK, width: int, key: Key[Array, ""], dim: int
) -> Filtered:
    tangents = isinstance(kernel, ConvolutionalNTK)
    m = width // 2 if tangents else width - 1
    height, breadth, channels = kernel.image
    positions, window = height * breadth, kernel.filter_size**2
    key_layers, key_signs = jax.random.split(key)
    inputs = [window * channels + 1] + [window * m + 1] * (kernel.depth - 1)
    drawn = signs(key_signs, (positions, m)) / np.sqrt(positions)
    return Filtered(
        _fields(key_layers, m, inputs, tangents),
        jnp.full((positions, m), 1 / positions) if kernel.readout == "pool" else drawn,
        kernel.weight_variance,
        kernel.bias_variance,
        kernel.image,
        kernel.filter_size,
        "constant" if kernel.padding == "zero" else "wrap",
        width,
    )


def _fields(key: Key[Array, ""], m: int, inputs: list[int], tangents: bool) -> tuple[Fields, ...]:
    """Layers of m neurons that read `inputs` numbers, the last of which is a constant."""

    def layer(key: Key[Array, ""], p: int, first: bool) -> Fields:
        one, two, three = jax.random.split(key, 3)
        if not tangents:
            return Fields(normal(one, (m, p)))
        passed = None if first else normal(three, (m, p - 1))
        return Fields(normal(one, (m, p)), normal(two, (m, p)), passed)

    keys = jax.random.split(key, len(inputs))
    return tuple(layer(k, p, i == 0) for i, (k, p) in enumerate(zip(keys, inputs, strict=True)))


def _first(x: Float[Array, "n d"], weight: Array, bias: Array) -> Float[Array, "n d+1"]:
    """(σ_w x/√d, σ_b)."""
    return with_constant(weight * x / np.sqrt(x.shape[1]), bias)


def _tau(layer: Fields, c: Array, passed: Array | None = None) -> Any:
    """Q c + P (σ_w φ'(z) ⊙ τ/√m), or None without tangents."""
    if layer.tangent is None:
        return None
    own = times(c, layer.tangent)
    return own if passed is None or layer.passed is None else own + times(passed, layer.passed)


def _last(
    values: Float[Array, "n m"], passed: Float[Array, "n m"] | None, bias: Array, width: int
) -> Float[Array, "n w"]:
    """(σ_w φ(z)/√m, σ_b), and the tangents; of an even width the first takes m − 1 neurons."""
    if passed is None:
        return with_constant(values, bias)
    m = values.shape[1]
    kept = width - 1 - m
    values = values[:, :kept] * np.sqrt(m / kept)
    return jnp.concatenate([with_constant(values, bias), passed], axis=1)
