"""The built-in studies, one module each. Listing them loads no JAX."""

from featlearn.engine import Study
from featlearn.studies import representations

STUDIES: tuple[Study, ...] = representations.STUDIES

__all__ = ["STUDIES"]
