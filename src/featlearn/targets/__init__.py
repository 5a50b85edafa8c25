"""Teachers: each declares what is known of it in closed form."""

from featlearn.targets import hermite
from featlearn.targets._base import Facts, Target
from featlearn.targets._dense_facts import LevelMoments, level_moments
from featlearn.targets.agnostic import Agnostic, agnostic
from featlearn.targets.dense import Dense, dense, slides_gaps, slides_widths
from featlearn.targets.halfspace import Halfspace, halfspace
from featlearn.targets.multi_index import MultiIndex, multi_index, representation, single_index
from featlearn.targets.parity import Parity, parity, parity_network
from featlearn.targets.toys import toy

__all__ = [
    "Agnostic",
    "Dense",
    "Facts",
    "Halfspace",
    "LevelMoments",
    "MultiIndex",
    "Parity",
    "Target",
    "agnostic",
    "dense",
    "halfspace",
    "hermite",
    "level_moments",
    "multi_index",
    "parity",
    "parity_network",
    "representation",
    "single_index",
    "slides_gaps",
    "slides_widths",
    "toy",
]
