"""Kernels, `kernel(x, y)` -> Gram matrix: closed forms, and those of finite networks; ridge."""

from featlearn.kernels._base import Kernel
from featlearn.kernels.conjugate import Conjugate
from featlearn.kernels.convolutional import ConvolutionalConjugate, ConvolutionalNTK
from featlearn.kernels.empirical import EmpiricalNTK, empirical_ntk
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
    "ConvolutionalConjugate",
    "ConvolutionalNTK",
    "EmpiricalNTK",
    "Kernel",
    "Laplace",
    "Polynomial",
    "RidgePath",
    "empirical_ntk",
    "ridge_dual",
    "ridge_primal",
]
