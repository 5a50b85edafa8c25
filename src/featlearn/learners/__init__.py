"""Learners: frozen configs whose `fit(sample, key=…)` gives a callable model."""

from featlearn.learners._network import NetworkFit
from featlearn.learners._protocol import Fitted, Learner, StreamLearner
from featlearn.learners._sensing import Recovered
from featlearn.learners.classes import one_hot, predict_class
from featlearn.learners.factored import FactoredDescent
from featlearn.learners.gradient_outer_product import GradientOuterProduct, OuterProductFit
from featlearn.learners.kernel_ridge import KernelFit, KernelRidge
from featlearn.learners.nuclear_norm import NuclearNorm
from featlearn.learners.one_step import OneStep
from featlearn.learners.phd import PHd
from featlearn.learners.random_features import FeatureFit, RandomFeatures
from featlearn.learners.save import SAVE
from featlearn.learners.sequential_kernels import SequentialFit, SequentialKernels
from featlearn.learners.sir import SIR
from featlearn.learners.tangent import TangentModel, tangent_model

__all__ = [
    "SAVE",
    "SIR",
    "FactoredDescent",
    "FeatureFit",
    "Fitted",
    "GradientOuterProduct",
    "KernelFit",
    "KernelRidge",
    "Learner",
    "NetworkFit",
    "NuclearNorm",
    "OneStep",
    "OuterProductFit",
    "PHd",
    "RandomFeatures",
    "Recovered",
    "SequentialFit",
    "SequentialKernels",
    "StreamLearner",
    "TangentModel",
    "one_hot",
    "predict_class",
    "tangent_model",
]
