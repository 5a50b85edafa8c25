"""Hierarchical learning and backward feature correction: the claims of slides and paper."""

from featlearn.engine import Study
from featlearn.studies.hierarchy import (
    algorithm_1,
    correction,
    correction_rate,
    information_gap,
    parity,
    rich_representation,
    search,
)

STUDIES: tuple[Study, ...] = (
    rich_representation.STUDY,
    correction.STUDY,
    correction_rate.STUDY,
    information_gap.STUDY,
    parity.STUDY,
    algorithm_1.STUDY,
    search.STUDY,
)

__all__ = ["STUDIES"]
