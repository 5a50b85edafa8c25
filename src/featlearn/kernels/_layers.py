"""How covariances pass through the layers of an infinitely wide network."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.kernels._checks import check_not_negative, check_positive
from featlearn.kernels._geometry import inner_products, squared_norms
from featlearn.kernels.activations import Activation

Scalar = float | Float[Array, ""]


class Layer(NamedTuple):
    """σ_w² and σ_b² of a layer, and the activation of the neurons it reads."""

    activation: Activation
    weight: Scalar
    bias: Scalar


class Covariance(NamedTuple):
    """Var z(x_i), Var z(y_j) and Cov(z(x_i), z(y_j)) of one layer's pre-activations z."""

    x: Float[Array, "n"]
    y: Float[Array, "m"]
    between: Float[Array, "n m"]

    def next(self, layer: Layer) -> tuple["Covariance", Float[Array, "n m"]]:
        """σ_w² E φ(u) φ(v) + σ_b², and σ_w² E φ'(u) φ'(v)."""
        both, slope = layer.activation.averages(self.x[:, None], self.y[None, :], self.between)
        after = Covariance(
            next_variance(self.x, layer)[0],
            next_variance(self.y, layer)[0],
            layer.weight * both + layer.bias,
        )
        return after, layer.weight * slope

    def plus(self, other: "Covariance", times: Scalar) -> "Covariance":
        """The covariance of a sum of independent z and √times z'."""
        return Covariance(*(a + times * b for a, b in zip(self, other, strict=True)))


def first_covariance(x: Array, y: Array, layer: Layer) -> Covariance:
    """Σ_0 = σ_w² ⟨x, y⟩/d + σ_b²."""
    return Covariance(
        first_variance(x, layer),
        first_variance(y, layer),
        layer.weight * inner_products(x, y) + layer.bias,
    )


def first_variance(x: Float[Array, "n d"], layer: Layer) -> Float[Array, "n"]:
    """σ_w² |x|²/d + σ_b²."""
    return layer.weight * squared_norms(x) + layer.bias


def next_variance(
    variance: Float[Array, "n"], layer: Layer
) -> tuple[Float[Array, "n"], Float[Array, "n"]]:
    """σ_w² E φ(u)² + σ_b², and σ_w² E φ'(u)²."""
    square, slope = layer.activation.at(variance)
    return layer.weight * square + layer.bias, layer.weight * slope


def check_network(depth: int, weight: Any, bias: Any) -> None:
    """Refuse a network without a hidden layer, or variances that are none."""
    if isinstance(depth, bool) or not isinstance(depth, int | np.integer) or depth < 1:
        raise InvalidInputError(
            f"depth counts hidden layers and must be an integer of at least 1, got {depth!r}."
        )
    check_variances(weight, bias)


def check_variances(weight: Any, bias: Any) -> None:
    """Refuse variances that are none."""
    check_positive("weight_variance", weight)
    check_not_negative("bias_variance", bias)
