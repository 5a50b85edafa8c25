"""What a `Hierarchical` cannot be: refused before work starts, in one sentence."""

from itertools import pairwise
from typing import Any

import numpy as np

from featlearn.errors import InvalidInputError
from featlearn.learners.hierarchical._projections import MOST_DRAWS


def length(name: str, values: Any) -> int:
    """How many layers these values are for."""
    if not isinstance(values, tuple | list) and np.ndim(values) == 0:
        raise InvalidInputError(
            f"{name} must have one number for each layer from 2 on, got {values!r}."
        )
    return len(values)


def check_whole(name: str, value: Any) -> None:
    """Refuse what is not a number of things."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < 1:
        raise InvalidInputError(f"{name} must be a whole number of at least 1, got {value}.")


def check_numbers(learner: Any) -> None:
    """What is known before the training; leaves of a fleet are not."""
    alphas, up, down, distil = (
        _known(getattr(learner, name)) for name in ("alphas", "up", "down", "distil")
    )
    if alphas is not None and min(alphas) <= 0:
        raise InvalidInputError(f"Every α must be positive, got {list(alphas)}.")
    if up is not None and down is not None:
        ladder = [v for pair in zip(up, down, strict=True) for v in pair]
        if any(a <= b for a, b in pairwise(ladder)):
            raise InvalidInputError(
                f"Thresholds must fall: up(2) > down(2) > up(3) > …, got {ladder}."
            )
    decay = _known((learner.decay,))
    if distil is not None and decay is not None:
        order = [*distil, *decay]
        if len(distil) != 3 or order != sorted(order, reverse=True) or min(order) < 0:
            raise InvalidInputError(
                f"Penalties must be λ3 ≥ λ4 ≥ λ5 ≥ λ6 ≥ 0, got {order} "
                "(distil has the first three)."
            )
    draws = _known((learner.candidates,))
    if draws is not None and not 1 <= draws[0] <= MOST_DRAWS:
        raise InvalidInputError(f"candidates must be between 1 and {MOST_DRAWS}, got {draws[0]:g}.")
    for name in ("noise", "rank", "error", "truncate"):
        given = _known((getattr(learner, name),))
        if given is not None and not given[0] >= 0:
            raise InvalidInputError(f"{name} must be at least 0, got {given[0]}.")


def _known(values: Any) -> tuple[float, ...] | None:
    """The values as floats, or None where some are arrays of a fleet."""
    if not all(isinstance(v, int | float | np.number) for v in values):
        return None
    return tuple(float(v) for v in values)
