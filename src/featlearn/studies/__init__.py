"""The built-in studies, one module each. Listing them loads no JAX."""

from featlearn.engine import Study
from featlearn.studies import hierarchy, representations

STUDIES: tuple[Study, ...] = (*representations.STUDIES, *hierarchy.STUDIES)

__all__ = ["STUDIES"]
