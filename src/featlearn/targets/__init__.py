"""Teachers: each declares what is known of it in closed form."""

from featlearn.targets import hermite
from featlearn.targets._base import Facts, Target
from featlearn.targets.multi_index import MultiIndex, multi_index, representation, single_index

__all__ = [
    "Facts",
    "MultiIndex",
    "Target",
    "hermite",
    "multi_index",
    "representation",
    "single_index",
]
