"""One fleet computed: outcomes that can be stored, whatever the study's `run` did."""

import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from featlearn.engine._machine import device
from featlearn.engine._study import Cell, Outcome
from featlearn.errors import FeatlearnError

Run = Callable[[Sequence[Cell]], list[Outcome]]
_log = logging.getLogger(__name__)
_LONGEST = 300  # characters of a message


@dataclass(frozen=True, kw_only=True)
class Computed:
    """A fleet's outcomes in the order of its cells, and what it took."""

    outcomes: tuple[Outcome, ...]
    started: str
    finished: str
    seconds: float
    device: str


def compute(run: Run, cells: Sequence[Cell]) -> Computed:
    """Run one fleet. If it raises, each of its cells has failed, with the reason."""
    started, clock = now(), time.perf_counter()
    try:
        outcomes = _checked(run(cells), cells)
    except Exception as error:
        _log.debug("a fleet of %d cells failed", len(cells), exc_info=True)
        outcomes = (Outcome(values={}, state="failed", message=one_line(error)),) * len(cells)
    return Computed(
        outcomes=outcomes,
        started=started,
        finished=now(),
        seconds=time.perf_counter() - clock,
        device=device(),
    )


def now() -> str:
    """This moment in UTC, in a form that sorts."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def one_line(error: BaseException) -> str:
    """An error in one line: its own sentence where it was written for users."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else ""
    if not isinstance(error, FeatlearnError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _checked(outcomes: Sequence[Outcome], cells: Sequence[Cell]) -> tuple[Outcome, ...]:
    if len(outcomes) != len(cells):
        raise ValueError(f"the study gave {len(outcomes)} outcomes for {len(cells)} cells")
    for outcome, cell in zip(outcomes, cells, strict=True):
        taken = sorted(outcome.values.keys() & cell.parameters.keys())
        if taken:  # in the rows that are judged one would hide the other
            raise ValueError(f"the study gave values named like parameters: {', '.join(taken)}")
    return tuple(_storable(outcome) for outcome in outcomes)


def _storable(outcome: Outcome) -> Outcome:
    """Plain floats, and no NaN: a cell that gave one has diverged, and says where."""
    values = {str(name): float(value) for name, value in outcome.values.items()}
    broken = sorted(name for name, value in values.items() if math.isnan(value))
    if not broken:
        return replace(outcome, values=values)
    kept = {name: value for name, value in values.items() if name not in broken}
    if outcome.state != "done":
        return replace(outcome, values=kept)
    return Outcome(values=kept, state="diverged", message=f"not a number: {', '.join(broken)}")
