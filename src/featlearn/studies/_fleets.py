"""One fleet of a study's cells as one compiled program."""

from collections.abc import Callable
from typing import Any

import jax

from featlearn.engine import Outcome
from featlearn.fleet import Effort, map_members


def outcomes(
    experiment: Callable[..., Any],
    *members: Any,
    block: int | None = None,
    effort: Effort = "little",
) -> list[Outcome]:
    """One outcome for each member. On a CPU a member fills its core by itself."""
    block = 1 if jax.default_backend() == "cpu" else block
    found = map_members(experiment, *members, block=block, effort=effort)
    table = {name: jax.device_get(column) for name, column in found.items()}
    count = len(next(iter(table.values())))
    return [
        Outcome(values={name: float(column[i]) for name, column in table.items()})
        for i in range(count)
    ]
