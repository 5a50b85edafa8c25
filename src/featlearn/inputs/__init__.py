"""Laws of x."""

from featlearn.inputs._base import Inputs

__all__ = ["Inputs"]
