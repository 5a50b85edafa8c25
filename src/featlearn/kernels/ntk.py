"""The neural tangent kernel of an infinitely wide network.

f = σ_w/√m ⟨a, h_L⟩ + σ_b b_{L+1},   h_l = φ(σ_w/√m W_l h_{l−1} + σ_b b_l),   h_0 = x
(1/√d in place of 1/√m in the first layer; every weight and bias N(0, 1) and trained)

Σ_0 = σ_w² ⟨x, y⟩/d + σ_b²                Θ_0 = Σ_0
Σ_l = σ_w² E φ(u) φ(v) + σ_b²             (u, v) ~ N(0, Σ_{l−1})
Θ_l = Σ_l + Θ_{l−1} σ_w² E φ'(u) φ'(v)    K = Θ_L
"""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.kernels._base import Kernel
from featlearn.kernels._layers import (
    Layer,
    check_network,
    first_covariance,
    first_variance,
    next_variance,
)
from featlearn.kernels._relu_angles import Profile, profile, relu_layers
from featlearn.kernels.activations import Activation, Relu, as_activation


class NTK(Kernel):
    """K(x, y) = E ⟨∇f(x), ∇f(y)⟩ over all weights and biases, at random initialisation.

    Nothing is normalised: for ReLU with σ_w² = 2 and σ_b = 0, K(x, x) = 2 (L + 1) |x|²/d.

    depth             number of hidden layers L: the two-layer network has depth 1
    weight_variance   σ_w²; 2 keeps the variance of a ReLU network from layer to layer
    bias_variance     σ_b²; with 0 and ReLU K(sx, sy) = s² K(x, y), and at depth 1 K is then blind
                      to odd degrees above 1
    activation        φ: a name ("relu", "erf", "quadratic", "gaussian", "sine", "cosine") or an
                      `Activation`
    """

    depth: int = eqx.field(static=True)
    weight_variance: float | Float[Array, ""] = 2.0
    bias_variance: float | Float[Array, ""] = 0.0
    activation: Activation = eqx.field(default="relu", converter=as_activation)

    def __check_init__(self) -> None:
        check_network(self.depth, self.weight_variance, self.bias_variance)

    def between(self, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
        layer = Layer(self.activation, self.weight_variance, self.bias_variance)
        covariance = first_covariance(x, y, layer)
        tangent = covariance.between
        for _ in range(self.depth):
            covariance, slope = covariance.next(layer)
            tangent = covariance.between + tangent * slope
        return tangent

    def single_rows(self, x: Float[Array, "n d"]) -> Any:
        if not isinstance(self.activation, Relu):
            return super().single_rows(x)
        return profile(x, self.depth, self.weight_variance, self.bias_variance)

    def single_between(self, rows: Any, columns: Any) -> Float[Array, "n m"]:
        if not isinstance(rows, Profile):
            return super().single_between(rows, columns)
        tangent = jnp.zeros((), jnp.float32)
        for covariance, slope in relu_layers(
            rows, columns, self.weight_variance, self.bias_variance
        ):
            tangent = covariance + tangent * slope
        return tangent

    def at(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        layer = Layer(self.activation, self.weight_variance, self.bias_variance)
        variance = first_variance(x, layer)
        tangent = variance
        for _ in range(self.depth):
            variance, slope = next_variance(variance, layer)
            tangent = variance + tangent * slope
        return tangent
