"""Learning representations by one gradient step: eight claims of the document and its figures."""

from featlearn.engine import Study
from featlearn.studies.representations import (
    csq_barrier,
    kernel_plateau,
    multi_index,
    noise_floor,
    sample_complexity,
    subspace,
    transfer,
    width,
)

STUDIES: tuple[Study, ...] = (
    sample_complexity.STUDY,
    kernel_plateau.STUDY,
    transfer.STUDY,
    subspace.STUDY,
    multi_index.STUDY,
    csq_barrier.STUDY,
    width.STUDY,
    noise_floor.STUDY,
)

__all__ = ["STUDIES"]
