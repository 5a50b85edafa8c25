"""Learners: frozen configs whose `fit(sample, key=…)` gives a callable model."""

from featlearn.learners._network import NetworkFit
from featlearn.learners._protocol import Fitted, Learner
from featlearn.learners.kernel_ridge import KernelFit, KernelRidge
from featlearn.learners.one_step import OneStep
from featlearn.learners.phd import PHd
from featlearn.learners.random_features import RandomFeatures
from featlearn.learners.save import SAVE
from featlearn.learners.sir import SIR
from featlearn.learners.tangent import TangentModel, tangent_model

__all__ = [
    "SAVE",
    "SIR",
    "Fitted",
    "KernelFit",
    "KernelRidge",
    "Learner",
    "NetworkFit",
    "OneStep",
    "PHd",
    "RandomFeatures",
    "TangentModel",
    "tangent_model",
]
