"""Teachers: each declares what is known of it in closed form."""

from featlearn.targets import hermite, series
from featlearn.targets._base import Analytic, Facts, Target
from featlearn.targets.convolution import Convolution, convolution
from featlearn.targets.multi_index import MultiIndex, multi_index, representation, single_index
from featlearn.targets.pair_products import pair_products
from featlearn.targets.products import Products, products
from featlearn.targets.residual import Given, Residual, from_function, powered, residual
from featlearn.targets.units import Units, units

__all__ = [
    "Analytic",
    "Convolution",
    "Facts",
    "Given",
    "MultiIndex",
    "Products",
    "Residual",
    "Target",
    "Units",
    "convolution",
    "from_function",
    "hermite",
    "multi_index",
    "pair_products",
    "powered",
    "products",
    "representation",
    "residual",
    "series",
    "single_index",
    "units",
]
