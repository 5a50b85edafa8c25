"""A cell's name is a hash of what determines it, in one canonical spelling.

Keys are sorted, floats are spelt by `repr`, and numbers that are equal are spelt alike: 4 and
4.0 name the same cell. No path and no device enters.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from featlearn.errors import InvalidInputError

_EXACT = 2**53  # below it every integer is a float and prints shorter as an integer


def canonical(value: Any) -> str:
    """JSON with sorted keys in which equal values have equal spellings."""
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: Any) -> str:
    """The sha256 of a value's canonical spelling."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def cell_id(study: str, version: int, parameters: Mapping[str, Any], repetition: int) -> str:
    """The name of a cell, the same on every machine."""
    return digest([study, version, parameters, repetition])


def plain(value: Any) -> Any:
    """`value` in JSON's own types; NumPy scalars and tuples become numbers and lists."""
    if hasattr(value, "item") and not getattr(value, "shape", ()):
        value = value.item()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, Mapping):
        return {_name(name): plain(item) for name, item in value.items()}
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    raise InvalidInputError(
        f"A parameter must be a number, text, true, false, null, or a list or table of them; "
        f"got {value!r} of type {type(value).__name__}."
    )


def _number(value: int | float) -> int | float:
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInputError(f"A parameter must be finite, got {value!r}.")
    if value == int(value) and abs(value) < _EXACT:
        return int(value)
    try:
        nearest = float(value)
    except OverflowError:
        return value
    return nearest if nearest == value else value


def _name(name: Any) -> str:
    if isinstance(name, str):
        return name
    raise InvalidInputError(f"A parameter's name must be text, got {name!r}.")
