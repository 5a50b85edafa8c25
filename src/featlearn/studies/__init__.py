"""The built-in studies, one module each. Listing them loads no JAX."""

from featlearn.engine import Study
from featlearn.studies import beyond, representations

STUDIES: tuple[Study, ...] = (*representations.STUDIES, *beyond.STUDIES)

__all__ = ["STUDIES"]
