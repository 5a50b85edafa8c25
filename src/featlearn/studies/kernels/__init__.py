"""Kernels: their closed forms and solvers checked as claims, and what they can and cannot learn."""

from featlearn.engine import Study
from featlearn.studies.kernels import (
    adaptive_beats_fixed,
    degree_staircase,
    infinite_width,
    linear_is_ridge,
)

STUDIES: tuple[Study, ...] = (
    infinite_width.STUDY,
    degree_staircase.STUDY,
    linear_is_ridge.STUDY,
    adaptive_beats_fixed.STUDY,
)

__all__ = ["STUDIES"]
