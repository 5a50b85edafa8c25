"""The paper's re-parameterised network and its Algorithm 1."""

from featlearn.learners.hierarchical._distilled import QuadraticNetwork
from featlearn.learners.hierarchical._fit import HierarchicalFit
from featlearn.learners.hierarchical._graph import meets_skip_conditions
from featlearn.learners.hierarchical._learner import Hierarchical, thresholds
from featlearn.learners.hierarchical._search import Found, search

__all__ = [
    "Found",
    "Hierarchical",
    "HierarchicalFit",
    "QuadraticNetwork",
    "meets_skip_conditions",
    "search",
    "thresholds",
]
