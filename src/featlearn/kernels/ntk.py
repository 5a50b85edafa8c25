"""The neural tangent kernel of an infinitely wide ReLU network.

f = σ_w/√m ⟨a, h_L⟩ + σ_b b_{L+1},   h_l = relu(σ_w/√m W_l h_{l−1} + σ_b b_l),   h_0 = x
(1/√d in place of 1/√m in the first layer; every weight and bias N(0, 1) and trained)

Σ_0 = σ_w² ⟨x, y⟩/d + σ_b²                        Θ_0 = Σ_0
Σ_l = σ_w² E relu(u) relu(v) + σ_b²               (u, v) ~ N(0, Σ_{l−1})
Θ_l = Σ_l + Θ_{l−1} σ_w² E 1[u>0] 1[v>0]          K = Θ_L
"""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.kernels._base import Kernel
from featlearn.kernels._relu_angles import Profile, profile, relu_layers
from featlearn.kernels._relu_layers import (
    check_network,
    first_covariance,
    first_variance,
    next_variance,
)


class NTK(Kernel):
    """K(x, y) = E ⟨∇f(x), ∇f(y)⟩ over all weights and biases, at random initialisation.

    depth             number of hidden layers L: the two-layer network has depth 1
    weight_variance   σ_w²; 2 keeps the variance from layer to layer
    bias_variance     σ_b²; 0 makes K homogeneous, and then blind to odd degrees above 1
    """

    depth: int = eqx.field(static=True)
    weight_variance: float | Float[Array, ""] = 2.0
    bias_variance: float | Float[Array, ""] = 0.0

    def __check_init__(self) -> None:
        check_network(self.depth, self.weight_variance, self.bias_variance)

    def between(self, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
        layer = first_covariance(x, y, self.weight_variance, self.bias_variance)
        tangent = layer.between
        for _ in range(self.depth):
            layer, slope = layer.next(self.weight_variance, self.bias_variance)
            tangent = layer.between + tangent * slope
        return tangent

    def single_rows(self, x: Float[Array, "n d"]) -> Profile:
        return profile(x, self.depth, self.weight_variance, self.bias_variance)

    def single_between(self, rows: Profile, columns: Profile) -> Float[Array, "n m"]:
        tangent = jnp.zeros((), jnp.float32)
        for covariance, slope in relu_layers(
            rows, columns, self.weight_variance, self.bias_variance
        ):
            tangent = covariance + tangent * slope
        return tangent

    def at(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        variance = first_variance(x, self.weight_variance, self.bias_variance)
        tangent = variance
        for _ in range(self.depth):
            variance = next_variance(variance, self.weight_variance, self.bias_variance)
            tangent = variance + tangent * self.weight_variance / 2
        return tangent
