"""Kernels, `kernel(x, y)` -> Gram matrix: closed forms, and those of finite networks; ridge."""

from featlearn.kernels import activations
from featlearn.kernels._base import Kernel
from featlearn.kernels.activations import Activation
from featlearn.kernels.arc_cosine import ArcCosine
from featlearn.kernels.conjugate import Conjugate
from featlearn.kernels.convolutional import ConvolutionalConjugate, ConvolutionalNTK
from featlearn.kernels.dot_product import DotProduct
from featlearn.kernels.empirical import EmpiricalNTK, empirical_ntk
from featlearn.kernels.laplace import Laplace
from featlearn.kernels.learning_curves import (
    PredictedLearning,
    learning_curve,
    predicted_learning,
)
from featlearn.kernels.matern import Matern
from featlearn.kernels.ntk import NTK
from featlearn.kernels.polynomial import Polynomial
from featlearn.kernels.random_features import RandomMap, random_features
from featlearn.kernels.rbf import RBF
from featlearn.kernels.residual import ResidualConjugate, ResidualNTK
from featlearn.kernels.ridge import PENALTIES, RidgePath, ridge_dual, ridge_primal
from featlearn.kernels.ridge_cholesky import ridge_cholesky
from featlearn.kernels.ridge_iterative import Iterations, ridge_iterative
from featlearn.kernels.spectra import Spectrum, spectrum

__all__ = [
    "NTK",
    "PENALTIES",
    "RBF",
    "Activation",
    "ArcCosine",
    "Conjugate",
    "ConvolutionalConjugate",
    "ConvolutionalNTK",
    "DotProduct",
    "EmpiricalNTK",
    "Iterations",
    "Kernel",
    "Laplace",
    "Matern",
    "Polynomial",
    "PredictedLearning",
    "RandomMap",
    "ResidualConjugate",
    "ResidualNTK",
    "RidgePath",
    "Spectrum",
    "activations",
    "empirical_ntk",
    "learning_curve",
    "predicted_learning",
    "random_features",
    "ridge_cholesky",
    "ridge_dual",
    "ridge_iterative",
    "ridge_primal",
    "spectrum",
]
