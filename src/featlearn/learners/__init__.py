"""Learners: frozen configs whose `fit(sample, key=…)` gives a callable model."""

from featlearn.kernels import Iterations
from featlearn.learners._network import NetworkFit
from featlearn.learners._protocol import Fitted, Learner
from featlearn.learners.classes import one_hot, predict_class
from featlearn.learners.kernel_ridge import KernelFit, KernelRidge
from featlearn.learners.one_step import OneStep
from featlearn.learners.phd import PHd
from featlearn.learners.random_features import RandomFeatures
from featlearn.learners.save import SAVE
from featlearn.learners.sir import SIR

__all__ = [
    "SAVE",
    "SIR",
    "Fitted",
    "Iterations",
    "KernelFit",
    "KernelRidge",
    "Learner",
    "NetworkFit",
    "OneStep",
    "PHd",
    "RandomFeatures",
    "one_hot",
    "predict_class",
]
