"""Laws of x."""

from featlearn.inputs._base import GaussianPart, Inputs
from featlearn.inputs.gaussian import Gaussian
from featlearn.inputs.hypercube import Hypercube
from featlearn.inputs.mixture import Mixture
from featlearn.inputs.non_spherical import non_spherical, non_spherical_mixture
from featlearn.inputs.patches import Patches
from featlearn.inputs.sphere import Sphere
from featlearn.inputs.uniform import Uniform

__all__ = [
    "Gaussian",
    "GaussianPart",
    "Hypercube",
    "Inputs",
    "Mixture",
    "Patches",
    "Sphere",
    "Uniform",
    "non_spherical",
    "non_spherical_mixture",
]
