"""Kernels of infinitely wide residual networks with fully connected blocks.

z_0 = σ_w/√d W_0 x + σ_b b_0
z_l = z_{l−1} + s block_l(z_{l−1}),   block_l(z) = σ_w/√m W_l φ(z) + σ_b b_l,   l = 1 … L
f   = σ_w/√m ⟨a, φ(z_L)⟩ + σ_b b      (every weight and bias N(0, 1) and trained)

A block's weights are independent of what enters it, so covariances add:

Σ_0 = Θ_0 = σ_w² ⟨x, y⟩/d + σ_b²
S_l = σ_w² E φ(u) φ(v) + σ_b²,   D_l = σ_w² E φ'(u) φ'(v),   (u, v) ~ N(0, Σ_{l−1})
Σ_l = Σ_{l−1} + s² S_l
Θ_l = Θ_{l−1} + s² (S_l + Θ_{l−1} D_l)
conjugate kernel  K = S_{L+1}          tangent kernel  K = S_{L+1} + Θ_L D_{L+1}
"""

from typing import Any

import equinox as eqx
from jaxtyping import Array, Float

from featlearn.kernels._base import Kernel
from featlearn.kernels._checks import check_integer, check_not_negative
from featlearn.kernels._layers import (
    Layer,
    check_variances,
    first_covariance,
    first_variance,
    next_variance,
)
from featlearn.kernels.activations import Activation, as_activation


class ResidualNTK(Kernel):
    """K(x, y) = E ⟨∇f(x), ∇f(y)⟩ of a residual network, over all weights and biases.

    Nothing is normalised. Without blocks, or with scale 0, it is `NTK` of depth 1.

    blocks            number of residual blocks L
    scale             s; of order 1/√L keeps K of order one however deep
    weight_variance   σ_w²
    bias_variance     σ_b²
    activation        φ, as in `NTK`
    """

    blocks: int = eqx.field(static=True)
    scale: float | Float[Array, ""] = 1.0
    weight_variance: float | Float[Array, ""] = 2.0
    bias_variance: float | Float[Array, ""] = 0.0
    activation: Activation = eqx.field(default="relu", converter=as_activation)

    def __check_init__(self) -> None:
        _check_residual(self)

    def between(self, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
        layer = Layer(self.activation, self.weight_variance, self.bias_variance)
        covariance = first_covariance(x, y, layer)
        tangent, square = covariance.between, self.scale**2
        for _ in range(self.blocks):
            block, slope = covariance.next(layer)
            tangent = tangent + square * (block.between + tangent * slope)
            covariance = covariance.plus(block, square)
        last, slope = covariance.next(layer)
        return last.between + tangent * slope

    def at(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        layer = Layer(self.activation, self.weight_variance, self.bias_variance)
        variance = first_variance(x, layer)
        tangent, square = variance, self.scale**2
        for _ in range(self.blocks):
            block, slope = next_variance(variance, layer)
            tangent = tangent + square * (block + tangent * slope)
            variance = variance + square * block
        last, slope = next_variance(variance, layer)
        return last + tangent * slope


class ResidualConjugate(Kernel):
    """K(x, y) = Cov(f(x), f(y)) of a residual network at random initialisation.

    Nothing is normalised. Without blocks, or with scale 0, it is `Conjugate` of depth 1. The
    fields are those of `ResidualNTK`.
    """

    blocks: int = eqx.field(static=True)
    scale: float | Float[Array, ""] = 1.0
    weight_variance: float | Float[Array, ""] = 2.0
    bias_variance: float | Float[Array, ""] = 0.0
    activation: Activation = eqx.field(default="relu", converter=as_activation)

    def __check_init__(self) -> None:
        _check_residual(self)

    def between(self, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
        layer = Layer(self.activation, self.weight_variance, self.bias_variance)
        covariance = first_covariance(x, y, layer)
        for _ in range(self.blocks):
            covariance = covariance.plus(covariance.next(layer)[0], self.scale**2)
        return covariance.next(layer)[0].between

    def at(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        layer = Layer(self.activation, self.weight_variance, self.bias_variance)
        variance = first_variance(x, layer)
        for _ in range(self.blocks):
            variance = variance + self.scale**2 * next_variance(variance, layer)[0]
        return next_variance(variance, layer)[0]


def _check_residual(kernel: Any) -> None:
    check_integer("blocks", kernel.blocks, least=0)
    check_not_negative("scale", kernel.scale)
    check_variances(kernel.weight_variance, kernel.bias_variance)
