"""Conformance kits and slow references, for those who extend the library.

    check_inputs(law, key=key)              a law of x keeps what `featlearn.inputs` promises
    check_target(target, inputs, key=key)   every declared fact of a teacher holds
    check_learner(learner, sample, key=key) a learner can be fitted, compiled, and run in a fleet

    convolutional_reference(x, y, …)        kernels of one pair of images, position by position
    tangent_kernel_by_differences(…)        the NTK of a finite network, from its values alone

Each check returns None, or raises an AssertionError that says which promise is broken and by how
much.
"""

from featlearn.testing.bands import check_average, check_equal, require
from featlearn.testing.convolutions import PairOfImages, convolutional_reference
from featlearn.testing.expansion import hermite_expansion, leap_by_search
from featlearn.testing.inputs import check_inputs
from featlearn.testing.learners import check_learner
from featlearn.testing.tangents import numerical_jacobian, tangent_kernel_by_differences
from featlearn.testing.targets import check_target

__all__ = [
    "PairOfImages",
    "check_average",
    "check_equal",
    "check_inputs",
    "check_learner",
    "check_target",
    "convolutional_reference",
    "hermite_expansion",
    "leap_by_search",
    "numerical_jacobian",
    "require",
    "tangent_kernel_by_differences",
]
