"""The built-in studies: one module for each group of claims."""

from featlearn.engine import Study

STUDIES: tuple[Study, ...] = ()
