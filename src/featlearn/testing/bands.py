"""Assertions about numbers: inside a band of standard errors, or equal to rounding."""

from typing import Any

import numpy as np
from scipy import stats

BAND = 4.0  # standard errors, for one number
ROUNDING = 1e-5  # of float32 draws, as a part of their typical size


def require(condition: Any, message: str) -> None:
    """Raise an AssertionError with this message, also where Python drops `assert`."""
    if not condition:
        raise AssertionError(message)


def check_average(name: str, draws: Any, expected: Any, *, rounding: float = ROUNDING) -> None:
    """The mean of independent `draws` (n, …) lies within 4 standard errors of `expected`.

    For an array the band is wider, so that a true array is rejected as rarely as a true number.
    """
    draws = np.asarray(draws, np.float64)
    stderr = draws.std(axis=0) / np.sqrt(len(draws))
    size = np.sqrt(np.mean(draws**2))
    check_estimate(name, draws.mean(axis=0), stderr, expected, slack=rounding * size)


def check_estimate(name: str, measured: Any, stderr: Any, expected: Any, *, slack: float) -> None:
    """`measured` lies within 4 `stderr` and `slack` of `expected`, entry by entry."""
    measured, expected = np.asarray(measured), np.asarray(expected, np.float64)
    require(
        measured.shape == expected.shape,
        f"{name}: declared with shape {expected.shape}, and its shape is {measured.shape}.",
    )
    allowed = band_of(measured.size) * np.asarray(stderr) + slack + np.finfo(np.float64).tiny
    excess = np.nan_to_num(np.abs(measured - expected) / allowed, nan=np.inf)
    worst = np.unravel_index(np.argmax(excess), excess.shape)
    where = f" at entry {tuple(map(int, worst))}" if measured.ndim else ""
    require(
        excess[worst] <= 1,
        f"{name}: declared {expected[worst]:.6g}{where}, measured {measured[worst]:.6g}; "
        f"at most ± {np.asarray(allowed)[worst]:.2g} is chance.",
    )


def band_of(count: int) -> float:
    """How many standard errors make `count` numbers fail together as rarely as one at 4."""
    return float(stats.norm.isf(stats.norm.sf(BAND) / count))


def check_equal(name: str, got: Any, wanted: Any, *, tolerance: float) -> None:
    """Same shape, and a difference below `tolerance` of the largest wanted number."""
    got, wanted = np.asarray(got, np.float64), np.asarray(wanted, np.float64)
    require(got.shape == wanted.shape, f"{name}: shape {got.shape} instead of {wanted.shape}.")
    scale = max(np.abs(wanted).max(initial=0.0), np.finfo(np.float64).tiny)
    difference = np.abs(got - wanted).max(initial=0.0) / scale
    require(
        difference <= tolerance,
        f"{name}: differs by {difference:.3g} of its size, {tolerance:.1g} is allowed.",
    )
