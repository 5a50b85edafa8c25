"""From a fleet's cells to their keys, numbers and outcomes."""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key

from featlearn import seeds
from featlearn.engine import Cell, Outcome


def keys_of(cells: Sequence[Cell], role: str) -> Key[Array, "cells"]:
    """Keys from (study, role, repetition) alone: what else differs changes nobody's data."""
    return jnp.stack([seeds.key(cell.study, role, cell.repetition) for cell in cells])


def numbers_of(cells: Sequence[Cell], name: str, dtype: Any) -> Array:
    """A parameter that the members of one program may differ in."""
    return jnp.asarray([cell.parameters[name] for cell in cells], dtype)


def outcomes_of(found: Mapping[str, Array]) -> list[Outcome]:
    """One outcome for each member of stacked values; a value `diverged` over 0 is its state."""
    table = {name: jax.device_get(column) for name, column in found.items()}
    count = len(next(iter(table.values())))
    return [_outcome({name: float(column[i]) for name, column in table.items()})
            for i in range(count)]  # fmt: skip


def _outcome(values: dict[str, float]) -> Outcome:
    if not values.pop("diverged", 0.0):
        return Outcome(values=values)
    message = "the loss or the weights left the finite numbers"
    return Outcome(values=values, state="diverged", message=message)
