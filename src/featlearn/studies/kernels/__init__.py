"""What kernels learn, how their finite networks approach them, and the machine that adapts."""

from featlearn.engine import Study
from featlearn.studies.kernels import adaptive_beats_fixed, degree_staircase

STUDIES: tuple[Study, ...] = (degree_staircase.STUDY, adaptive_beats_fixed.STUDY)

__all__ = ["STUDIES"]
