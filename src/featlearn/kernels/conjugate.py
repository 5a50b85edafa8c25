"""The conjugate kernel of an infinitely wide network: only its last layer is trained.

Σ_0 = σ_w² ⟨x, y⟩/d + σ_b²
Σ_l = σ_w² E φ(u) φ(v) + σ_b²,   (u, v) ~ N(0, Σ_{l−1});        K = Σ_L
"""

from typing import Any

import equinox as eqx
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


class Conjugate(Kernel):
    """K(x, y) = Cov(f(x), f(y)) at random initialisation, f as in `NTK` (also called NNGP).

    It is σ_w² times the inner product of the last hidden layers per neuron, plus σ_b². The limit
    of `RandomFeatures` is Conjugate(1, weight_variance=1, bias_variance=1), up to that constant.

    Nothing is normalised: for ReLU with σ_w² = 2 and σ_b = 0, K(x, x) = 2 |x|²/d at any depth.

    depth             number of hidden layers L: the two-layer network has depth 1
    weight_variance   σ_w²; 2 keeps the variance of a ReLU network from layer to layer
    bias_variance     σ_b²; with 0 and ReLU K(sx, sy) = s² K(x, y), and at depth 1 K is then blind
                      to odd degrees above 1
    activation        φ, as in `NTK`
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
        for _ in range(self.depth):
            covariance, _ = covariance.next(layer)
        return covariance.between

    def single_rows(self, x: Float[Array, "n d"]) -> Any:
        if not isinstance(self.activation, Relu):
            return super().single_rows(x)
        return profile(x, self.depth, self.weight_variance, self.bias_variance)

    def single_between(self, rows: Any, columns: Any) -> Float[Array, "n m"]:
        if not isinstance(rows, Profile):
            return super().single_between(rows, columns)
        *_, (last, _) = relu_layers(rows, columns, self.weight_variance, self.bias_variance)
        return last

    def at(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        layer = Layer(self.activation, self.weight_variance, self.bias_variance)
        variance = first_variance(x, layer)
        for _ in range(self.depth):
            variance, _ = next_variance(variance, layer)
        return variance
