"""Kernels: their closed forms and solvers checked as claims, and what they can and cannot learn."""

from featlearn.engine import Study
from featlearn.studies.kernels import infinite_width, linear_is_ridge

STUDIES: tuple[Study, ...] = (infinite_width.STUDY, linear_is_ridge.STUDY)

__all__ = ["STUDIES"]
