"""Teachers: each declares what is known of it in closed form."""

from featlearn.targets import hermite, series
from featlearn.targets._base import Analytic, Facts, Target
from featlearn.targets._dense_facts import LevelMoments, level_moments
from featlearn.targets.agnostic import Agnostic, agnostic
from featlearn.targets.convolution import Convolution, convolution
from featlearn.targets.dense import Dense, dense, slides_gaps, slides_widths
from featlearn.targets.halfspace import Halfspace, halfspace
from featlearn.targets.multi_index import MultiIndex, multi_index, representation, single_index
from featlearn.targets.pair_products import pair_products
from featlearn.targets.parity import Parity, parity, parity_network
from featlearn.targets.products import Products, products
from featlearn.targets.residual import Given, Residual, from_function, powered, residual
from featlearn.targets.toys import toy
from featlearn.targets.units import Units, units

__all__ = [
    "Agnostic",
    "Analytic",
    "Convolution",
    "Dense",
    "Facts",
    "Given",
    "Halfspace",
    "LevelMoments",
    "MultiIndex",
    "Parity",
    "Products",
    "Residual",
    "Target",
    "Units",
    "agnostic",
    "convolution",
    "dense",
    "from_function",
    "halfspace",
    "hermite",
    "level_moments",
    "multi_index",
    "pair_products",
    "parity",
    "parity_network",
    "powered",
    "products",
    "representation",
    "residual",
    "series",
    "single_index",
    "slides_gaps",
    "slides_widths",
    "toy",
    "units",
]
