"""Beyond kernels: residual networks, the NTK regime, gated networks, convex against non-convex."""

from featlearn.engine import Study
from featlearn.studies.beyond import gated_dense, lazy_regime, matrix_sensing, minimal_norm

STUDIES: tuple[Study, ...] = (
    lazy_regime.STUDY,
    matrix_sensing.STUDY,
    minimal_norm.STUDY,
    gated_dense.STUDY,
)

__all__ = ["STUDIES"]
