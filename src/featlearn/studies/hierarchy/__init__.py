"""Hierarchical learning and backward feature correction: the claims of slides and paper."""

from featlearn.engine import Study
from featlearn.studies.hierarchy import (
    correction,
    correction_rate,
    implicit_order,
    information_gap,
    parity,
    rich_representation,
    theorem_1,
    theorem_2,
)

STUDIES: tuple[Study, ...] = (
    rich_representation.STUDY,
    correction.STUDY,
    correction_rate.STUDY,
    theorem_1.STUDY,
    theorem_2.STUDY,
    implicit_order.STUDY,
    information_gap.STUDY,
    parity.STUDY,
)

__all__ = ["STUDIES"]
