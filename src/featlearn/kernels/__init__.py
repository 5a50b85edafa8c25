"""Closed-form kernels, `kernel(x, y)` -> Gram matrix, and exact ridge for many penalties."""

from featlearn.kernels._base import Kernel
from featlearn.kernels.conjugate import Conjugate
from featlearn.kernels.laplace import Laplace
from featlearn.kernels.ntk import NTK
from featlearn.kernels.polynomial import Polynomial
from featlearn.kernels.rbf import RBF
from featlearn.kernels.ridge import PENALTIES, RidgePath, ridge_dual, ridge_primal

__all__ = [
    "NTK",
    "PENALTIES",
    "RBF",
    "Conjugate",
    "Kernel",
    "Laplace",
    "Polynomial",
    "RidgePath",
    "ridge_dual",
    "ridge_primal",
]
