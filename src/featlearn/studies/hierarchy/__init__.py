"""Hierarchical learning and backward feature correction: the claims of slides and paper."""

from featlearn.engine import Study
from featlearn.studies.hierarchy import (
    algorithm_1,
    correction_rate,
    rich_representation,
    search,
)

STUDIES: tuple[Study, ...] = (
    rich_representation.STUDY,
    correction_rate.STUDY,
    algorithm_1.STUDY,
    search.STUDY,
)

__all__ = ["STUDIES"]
