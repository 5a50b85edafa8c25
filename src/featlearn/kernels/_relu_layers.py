"""How covariances pass through the layers of an infinitely wide ReLU network."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.kernels._arc_cosine import relu_averages
from featlearn.kernels._checks import check_not_negative, check_positive
from featlearn.kernels._geometry import inner_products, squared_norms

Scalar = float | Float[Array, ""]


class Covariance(NamedTuple):
    """Var z(x_i), Var z(y_j) and Cov(z(x_i), z(y_j)) of one layer's pre-activations z."""

    x: Float[Array, "n"]
    y: Float[Array, "m"]
    between: Float[Array, "n m"]

    def next(self, weight: Scalar, bias: Scalar) -> tuple["Covariance", Float[Array, "n m"]]:
        """The next layer's covariance, and σ_w² E 1[u>0] 1[v>0]."""
        both, open_ = relu_averages(self.x[:, None], self.y[None, :], self.between)
        after = Covariance(
            next_variance(self.x, weight, bias),
            next_variance(self.y, weight, bias),
            weight * both + bias,
        )
        return after, weight * open_


def first_covariance(x: Array, y: Array, weight: Scalar, bias: Scalar) -> Covariance:
    """Σ_0 = σ_w² ⟨x, y⟩/d + σ_b²."""
    return Covariance(
        first_variance(x, weight, bias),
        first_variance(y, weight, bias),
        weight * inner_products(x, y) + bias,
    )


def first_variance(x: Float[Array, "n d"], weight: Scalar, bias: Scalar) -> Float[Array, "n"]:
    """σ_w² |x|²/d + σ_b²."""
    return weight * squared_norms(x) + bias


def next_variance(variance: Float[Array, "n"], weight: Scalar, bias: Scalar) -> Float[Array, "n"]:
    """σ_w² E relu(u)² + σ_b², and E relu(u)² = Var u / 2."""
    return weight * variance / 2 + bias


def check_network(depth: int, weight: Any, bias: Any) -> None:
    """Refuse a network without a hidden layer, or variances that are none."""
    if not isinstance(depth, int | np.integer) or depth < 1:
        raise InvalidInputError(
            f"depth counts hidden layers and must be an integer of at least 1, got {depth!r}."
        )
    check_positive("weight_variance", weight)
    check_not_negative("bias_variance", bias)
