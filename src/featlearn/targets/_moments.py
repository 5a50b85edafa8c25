"""Moments of a polynomial of one projection.

    E ⟨u, x⟩^{2q} = R^{2q} (2q − 1)!! / (d (d + 2) ⋯ (d + 2q − 2))     on the sphere |x| = R
    E ⟨u, x⟩^{2q} = (2q − 1)!!                                         under N(0, I)

for |u| = 1, and 0 for odd powers. E ∇f = E φ'(⟨w, x⟩) w and E ∇²f = E φ''(⟨w, x⟩) w wᵀ.
"""

from typing import Any

import numpy as np

from featlearn.inputs import Inputs, Sphere
from featlearn.targets.series import Series


def one_direction(phi: Series, w: np.ndarray, inputs: Inputs) -> dict[str, Any]:
    """Moments of φ(⟨w, x⟩), where they are known; φ a polynomial."""
    if phi.length is None:
        return {}
    a = phi.coefficients(1.0)
    powers = projection_powers(inputs, 2 * len(a))
    if powers is None:
        return {}
    powers = powers * np.linalg.norm(w) ** np.arange(len(powers))

    def average(c: np.ndarray) -> float:
        return float(c @ powers[: len(c)])

    first = np.polynomial.polynomial.polyder(a)
    second = np.polynomial.polynomial.polyder(a, 2)
    return {
        "mean": average(a),
        "second_moment": average(np.convolve(a, a)),
        "linear": average(first) * w,
        "hessian": average(second) * np.outer(w, w),
    }


def projection_powers(inputs: Inputs, highest: int) -> np.ndarray | None:
    """E ⟨u, x⟩^k for k = 0 … highest and |u| = 1; None where they depend on u or are not known."""
    if not (isinstance(inputs, Sphere) or inputs.standard):
        return None
    found = np.zeros(highest + 1)
    found[0] = 1.0
    for k in range(2, highest + 1, 2):
        step = k - 1.0
        if isinstance(inputs, Sphere):
            step *= float(inputs.radius) ** 2 / (inputs.dim + k - 2)
        found[k] = found[k - 2] * step
    return found
