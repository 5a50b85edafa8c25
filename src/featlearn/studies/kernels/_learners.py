"""The learners and targets of `kernels/adaptive-beats-fixed`, by name."""

from typing import Any

MACHINE = "gradient-outer-product machine"
FIXED = ("RBF", "Laplace", "NTK", "polynomial")
SINGLE, ISOTROPIC = "single index", "isotropic"


def fits_each(parameters: Any) -> int:
    """Kernels that the machine fits, each with every λ: fixed kernels have as many candidates."""
    return (parameters["rounds"] + 1) * len(parameters["bandwidths"])
