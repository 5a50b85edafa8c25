"""Beyond kernels: residual networks, the NTK regime, gated networks, convex against non-convex."""

from featlearn.engine import Study
from featlearn.studies.beyond import (
    alpha_squared,
    degree,
    first_layer_corrected,
    gated_dense,
    lazy_regime,
    matrix_sensing,
    minimal_norm,
    resnet_learns,
    sensitivity,
)

STUDIES: tuple[Study, ...] = (
    resnet_learns.STUDY,
    alpha_squared.STUDY,
    sensitivity.STUDY,
    first_layer_corrected.STUDY,
    degree.STUDY,
    lazy_regime.STUDY,
    matrix_sensing.STUDY,
    minimal_norm.STUDY,
    gated_dense.STUDY,
)

__all__ = ["STUDIES"]
