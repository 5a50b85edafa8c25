"""Beyond kernels: residual networks, the NTK regime, gated networks, convex against non-convex."""

from featlearn.engine import Study
from featlearn.studies.beyond import resnet_learns

STUDIES: tuple[Study, ...] = (resnet_learns.STUDY,)

__all__ = ["STUDIES"]
