"""Every kernel keeps what `featlearn.testing.check_kernel` lists."""

import jax.numpy as jnp
import pytest

from featlearn.kernels import (
    NTK,
    RBF,
    ArcCosine,
    Conjugate,
    DotProduct,
    Laplace,
    Matern,
    Polynomial,
    ResidualConjugate,
    ResidualNTK,
)
from featlearn.kernels.activations import Expanded, Hermite
from featlearn.testing import check_kernel

NETWORK = {"weight_variance": 1.5, "bias_variance": 0.1}
POWERS = [  # kernels with the power h of K(sx, sy) = s^h K(x, y), where they state one
    (NTK(2), 2),
    (Conjugate(1), 2),
    (ResidualNTK(1, 0.7), 2),
    (ArcCosine(0), 0),
    (ArcCosine(2, 2), 8),
    (Polynomial(2, 0.0), 4),
    (NTK(2, **NETWORK), None),
    (ResidualConjugate(2, 0.7, **NETWORK), None),
    (NTK(1, **NETWORK, activation="erf"), None),
    (NTK(1, **NETWORK, activation="quadratic"), None),
    (NTK(1, **NETWORK, activation="gaussian"), None),
    (NTK(1, **NETWORK, activation="sine"), None),
    (NTK(1, **NETWORK, activation=Hermite((0.3, 1, -0.5, 0.2))), None),
    (NTK(1, **NETWORK, activation=Expanded(jnp.tanh, terms=4, nodes=40)), None),
    (RBF(0.8), None),
    (Laplace(0.8), None),
    (Matern(2.5, 0.8), None),
    (DotProduct((0.5, 1.0, 0.0, 0.2)), None),
]


def name(value):
    activation = getattr(value, "activation", None)
    return type(value).__name__ + (f"-{type(activation).__name__}" if activation else "")


@pytest.mark.parametrize(("kernel", "power"), POWERS, ids=name)
def test_keeps_the_contract(kernel, power):
    check_kernel(kernel, homogeneity=power)
