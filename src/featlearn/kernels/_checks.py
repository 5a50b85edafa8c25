"""Checks of kernels' fields, made once when a kernel is built."""

from numbers import Real
from typing import Any

import numpy as np

from featlearn.errors import InvalidInputError


def check_positive(name: str, value: Any) -> None:
    """Refuse a number that is not positive and finite; arrays in a stack pass."""
    if isinstance(value, Real) and not 0 < float(value) < np.inf:
        raise InvalidInputError(f"{name} must be positive and finite, got {value}.")


def check_not_negative(name: str, value: Any) -> None:
    """Refuse a number that is negative or not finite; arrays in a stack pass."""
    if isinstance(value, Real) and not 0 <= float(value) < np.inf:
        raise InvalidInputError(f"{name} must be finite and at least 0, got {value}.")


def check_integer(name: str, value: Any, *, least: int) -> None:
    """Refuse what is not an integer of at least `least`."""
    if not isinstance(value, int | np.integer) or value < least:
        raise InvalidInputError(f"{name} must be an integer of at least {least}, got {value!r}.")
