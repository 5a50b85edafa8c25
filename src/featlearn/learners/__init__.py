"""Learners: frozen configs whose `fit(sample, key=…)` gives a callable model."""

from featlearn.learners._dense_network import DenseFit
from featlearn.learners._network import NetworkFit
from featlearn.learners._noise import StructuredNoise
from featlearn.learners._protocol import Fitted, Learner, StreamLearner
from featlearn.learners._sensing import Recovered
from featlearn.learners._trained import TrainedFit, original
from featlearn.learners.classes import ClassFit, fit_classes, one_hot, predict_class
from featlearn.learners.dense import Dense, Stages
from featlearn.learners.factored import FactoredDescent
from featlearn.learners.fully_connected import FullyConnected
from featlearn.learners.gradient_outer_product import GradientOuterProduct, OuterProductFit
from featlearn.learners.hierarchical import Hierarchical, HierarchicalFit, QuadraticNetwork
from featlearn.learners.kernel_ridge import KernelFit, KernelRidge
from featlearn.learners.nuclear_norm import NuclearNorm
from featlearn.learners.one_step import OneStep
from featlearn.learners.phd import PHd
from featlearn.learners.random_features import FeatureFit, RandomFeatures
from featlearn.learners.residual import Residual
from featlearn.learners.save import SAVE
from featlearn.learners.sequential_kernels import SequentialFit, SequentialKernels
from featlearn.learners.sir import SIR
from featlearn.learners.tangent import Tangent, TangentFit, TangentModel, tangent_model

__all__ = [
    "SAVE",
    "SIR",
    "ClassFit",
    "Dense",
    "DenseFit",
    "FactoredDescent",
    "FeatureFit",
    "Fitted",
    "FullyConnected",
    "GradientOuterProduct",
    "Hierarchical",
    "HierarchicalFit",
    "KernelFit",
    "KernelRidge",
    "Learner",
    "NetworkFit",
    "NuclearNorm",
    "OneStep",
    "OuterProductFit",
    "PHd",
    "QuadraticNetwork",
    "RandomFeatures",
    "Recovered",
    "Residual",
    "SequentialFit",
    "SequentialKernels",
    "Stages",
    "StreamLearner",
    "StructuredNoise",
    "Tangent",
    "TangentFit",
    "TangentModel",
    "TrainedFit",
    "fit_classes",
    "one_hot",
    "original",
    "predict_class",
    "tangent_model",
]
