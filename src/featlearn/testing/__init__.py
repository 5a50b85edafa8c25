"""Conformance kits and slow references, for those who extend the library.

    check_inputs(law, key=key)              a law of x keeps what `featlearn.inputs` promises
    check_target(target, inputs, key=key)   every declared fact of a teacher holds
    check_learner(learner, sample, key=key) a learner can be fitted, compiled, and run in a fleet
    check_kernel(kernel)                    a Gram matrix wherever the points lie, and gradients
    check_activation(activation)            both Gaussian averages of an activation

Each returns None, or raises an AssertionError that says which promise is broken and by how much.

Slow references:

    hermite_expansion, leap_by_search       a target's Hermite terms, and their leap
    slow_averages(function, a, b, c)        the Gaussian averages of any activation, by quadrature
    average_kernels(draw, apply, x, …)      tangent and output kernels of random finite networks
    convolutional_reference(x, y, …)        kernels of one pair of images, position by position
    tangent_kernel_by_differences(…)        the NTK of a finite network, from its values alone
    numerical_jacobian(…)                   and the derivatives it is made of
    slow_dense, slow_dense_gradient         a quadratic dense network, neuron by neuron
    slow_hierarchical(W, K, R, …)           the hierarchy paper's network, neuron by neuron
"""

from featlearn.testing.activations import check_activation, slow_averages
from featlearn.testing.bands import check_average, check_equal, require
from featlearn.testing.convolutions import PairOfImages, convolutional_reference
from featlearn.testing.dense_networks import slow_dense, slow_dense_gradient
from featlearn.testing.expansion import hermite_expansion, leap_by_search
from featlearn.testing.finite_networks import KernelAverages, average_kernels
from featlearn.testing.hierarchical import SlowNetwork, slow_hierarchical
from featlearn.testing.inputs import check_inputs
from featlearn.testing.kernels import check_kernel
from featlearn.testing.learners import check_learner
from featlearn.testing.tangents import numerical_jacobian, tangent_kernel_by_differences
from featlearn.testing.targets import check_target

__all__ = [
    "KernelAverages",
    "PairOfImages",
    "SlowNetwork",
    "average_kernels",
    "check_activation",
    "check_average",
    "check_equal",
    "check_inputs",
    "check_kernel",
    "check_learner",
    "check_target",
    "convolutional_reference",
    "hermite_expansion",
    "leap_by_search",
    "numerical_jacobian",
    "require",
    "slow_averages",
    "slow_dense",
    "slow_dense_gradient",
    "slow_hierarchical",
    "tangent_kernel_by_differences",
]
