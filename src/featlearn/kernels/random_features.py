"""Random features of a kernel: E ⟨φ(x), φ(y)⟩ = K(x, y), with φ of any width m.

    RBF, Matern     φ_j = √(2/m) cos(⟨w_j, x⟩ + b_j),  b_j uniform on [0, 2π]
                    w = g/(h√d) for RBF; for Matern over √(χ²/2ν): g standard normal, χ² of 2ν
                    degrees of freedom, so that w is multivariate Student. Laplace is ν = 1/2
    Polynomial      φ_j = Π_p ⟨s_jp, (x/√d, √offset)⟩/√m,  s random signs, p = 1 … degree
    DotProduct      φ = (√c_0, √(C/m) Π_{p ≤ k_j} ⟨s_jp, x/√d⟩),  k_j = k with probability c_k/C
    ArcCosine       h_0 = x/√d,  h_l = √(2/m) 1[z > 0] zⁿ of z = G_l h_{l−1},  φ = h_L
    Conjugate       c_0 = (σ_w x/√d, σ_b),  c_l = (σ_w φ(G_l c_{l−1})/√m, σ_b),  φ = c_L
    NTK             t_0 = c_0,  t_l = (c_l, σ_w φ'(G'_l c_{l−1}) ⊙ P_l t_{l−1}/√m),  φ = t_L
    residual and convolutional networks   `_random_networks`

with G, P standard normal. Expectations are exact, but for networks of more than one hidden layer:
there inner layers are of finite width too, and the mean is off by O(1/m). One product of degree k
has the mean square (|x|²|y|² + 2⟨x, y⟩² − 2 Σ_i x_i² y_i²)^k/d^{2k} over signs: for |x|² = d about
1 for most pairs and up to 3^k for equal ones, so that series of high degree want a large width.

`EmpiricalNTK` has none: its features are the gradients of its network, one for each parameter.
"""

from functools import singledispatch

import numpy as np
from jaxtyping import Array, Key

from featlearn.errors import InvalidInputError
from featlearn.kernels._base import Kernel
from featlearn.kernels._checks import check_integer
from featlearn.kernels._random_maps import RandomMap
from featlearn.kernels._random_networks import (
    arc_cosine_map,
    conjugate_map,
    convolutional_map,
    residual_map,
    tangent_map,
)
from featlearn.kernels._random_products import fourier, maclaurin, polynomial_map
from featlearn.kernels.arc_cosine import ArcCosine
from featlearn.kernels.conjugate import Conjugate
from featlearn.kernels.convolutional import ConvolutionalConjugate, ConvolutionalNTK
from featlearn.kernels.dot_product import DotProduct
from featlearn.kernels.empirical import EmpiricalNTK
from featlearn.kernels.laplace import Laplace
from featlearn.kernels.matern import Matern
from featlearn.kernels.ntk import NTK
from featlearn.kernels.polynomial import Polynomial
from featlearn.kernels.rbf import RBF
from featlearn.kernels.residual import ResidualConjugate, ResidualNTK
from featlearn.precision import double_precision

# A constant, and a neuron or product of each kind.
LEAST_WIDTH: dict[type[Kernel], int] = {
    DotProduct: 2,
    Conjugate: 2,
    ResidualConjugate: 2,
    ConvolutionalConjugate: 2,
    NTK: 3,
    ResidualNTK: 3,
    ConvolutionalNTK: 3,
}


@double_precision
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
    check_integer("dim", dim, least=1)
    return draw(kernel, width, key, dim)


@singledispatch
def draw(kernel: Kernel, width: int, key: Key[Array, ""], dim: int) -> RandomMap:
    """The map of a kernel, by its class."""
    known = (c.__name__ for c in draw.registry if c not in (object, EmpiricalNTK))
    raise InvalidInputError(
        f"No random features are known for {type(kernel).__name__}: give one of "
        f"{', '.join(sorted(known))}, or teach it with "
        "featlearn.kernels.random_features.draw.register."
    )


@draw.register
def _(kernel: RBF, width: int, key: Key[Array, ""], dim: int) -> RandomMap:
    return fourier(kernel.bandwidth, width, key, dim)


@draw.register
def _(kernel: Laplace, width: int, key: Key[Array, ""], dim: int) -> RandomMap:
    return fourier(kernel.bandwidth, width, key, dim, freedom=1)


@draw.register
def _(kernel: Matern, width: int, key: Key[Array, ""], dim: int) -> RandomMap:
    return fourier(kernel.bandwidth, width, key, dim, freedom=round(2 * kernel.nu))


@draw.register
def _(kernel: EmpiricalNTK, width: int, key: Key[Array, ""], dim: int) -> RandomMap:
    raise InvalidInputError(
        "EmpiricalNTK has no random features: its own are its network's gradients, one for each "
        "parameter. Solve with it by learners.tangent_model or KernelRidge, or draw the features "
        "of NTK, its limit at large width."
    )


draw.register(Polynomial, polynomial_map)
draw.register(DotProduct, maclaurin)
draw.register(ArcCosine, arc_cosine_map)
draw.register(Conjugate, conjugate_map)
draw.register(NTK, tangent_map)
for residual in (ResidualConjugate, ResidualNTK):
    draw.register(residual, residual_map)
for convolutional in (ConvolutionalConjugate, ConvolutionalNTK):
    draw.register(convolutional, convolutional_map)
