"""The conjugate kernel of an infinitely wide ReLU network: only its last layer is trained.

Σ_0 = σ_w² ⟨x, y⟩/d + σ_b²
Σ_l = σ_w² E relu(u) relu(v) + σ_b²,   (u, v) ~ N(0, Σ_{l−1});        K = Σ_L
"""

import equinox as eqx
from jaxtyping import Array, Float

from featlearn.kernels._base import Kernel
from featlearn.kernels._relu_angles import Profile, profile, relu_layers
from featlearn.kernels._relu_layers import (
    check_network,
    first_covariance,
    first_variance,
    next_variance,
)


class Conjugate(Kernel):
    """K(x, y) = Cov(f(x), f(y)) at random initialisation, f as in `NTK` (also called NNGP).

    It is σ_w² times the inner product of the last hidden layers per neuron, plus σ_b². The limit
    of `RandomFeatures` is Conjugate(1, weight_variance=1, bias_variance=1), up to that constant.

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
        for _ in range(self.depth):
            layer, _ = layer.next(self.weight_variance, self.bias_variance)
        return layer.between

    def single_rows(self, x: Float[Array, "n d"]) -> Profile:
        return profile(x, self.depth, self.weight_variance, self.bias_variance)

    def single_between(self, rows: Profile, columns: Profile) -> Float[Array, "n m"]:
        *_, (last, _) = relu_layers(rows, columns, self.weight_variance, self.bias_variance)
        return last

    def at(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        variance = first_variance(x, self.weight_variance, self.bias_variance)
        for _ in range(self.depth):
            variance = next_variance(variance, self.weight_variance, self.bias_variance)
        return variance
