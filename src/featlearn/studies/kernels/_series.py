"""The kernels of `kernels/degree-staircase`, by name: c_0 … c_6 of Σ_k c_k (⟨x, y⟩/d)^k.

A power t^k has harmonic parts of degrees k, k − 2, …, so that a kernel without odd powers has no
odd degree, and one without even powers no even degree.
"""

from math import factorial

DEGREES = (1, 2, 3)
RELEVANT = 6  # coordinates that the target depends on
POWERS = range(7)
EXPONENTIAL = tuple(1 / factorial(k) for k in POWERS)  # e^t
TOLD = "told the coordinates"
SERIES: dict[str, tuple[float, ...]] = {
    "exponential": EXPONENTIAL,
    "even powers": tuple(c * (k % 2 == 0) for k, c in enumerate(EXPONENTIAL)),
    "odd powers": tuple(c * (k % 2 == 1) for k, c in enumerate(EXPONENTIAL)),
    "quadratic": tuple(c * (k <= 2) for k, c in enumerate(EXPONENTIAL)),
    TOLD: EXPONENTIAL,  # of the coordinates that the target depends on
}
WITHOUT = {"even powers": (1, 3), "odd powers": (2,), "quadratic": (3,)}  # degrees that they lack
WRONG = tuple(3.0**k * c for k, c in enumerate(EXPONENTIAL))  # e^{3t}: another spectrum
