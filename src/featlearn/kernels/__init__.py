"""Closed-form kernels, `kernel(x, y)` -> Gram matrix, and ridge for many penalties."""

from featlearn.kernels._base import Kernel
from featlearn.kernels.conjugate import Conjugate
from featlearn.kernels.laplace import Laplace
from featlearn.kernels.ntk import NTK
from featlearn.kernels.polynomial import Polynomial
from featlearn.kernels.random_features import RandomMap, random_features
from featlearn.kernels.rbf import RBF
from featlearn.kernels.ridge import PENALTIES, RidgePath, ridge_dual, ridge_primal
from featlearn.kernels.ridge_cholesky import ridge_cholesky
from featlearn.kernels.ridge_iterative import Iterations, ridge_iterative

__all__ = [
    "NTK",
    "PENALTIES",
    "RBF",
    "Conjugate",
    "Iterations",
    "Kernel",
    "Laplace",
    "Polynomial",
    "RandomMap",
    "RidgePath",
    "random_features",
    "ridge_cholesky",
    "ridge_dual",
    "ridge_iterative",
    "ridge_primal",
]
