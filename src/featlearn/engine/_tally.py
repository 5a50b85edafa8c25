"""How far a plan has come: which of its cells are there, and which must be computed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from featlearn.store import CellStatus


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Cells counted by what is known of them; each cell is counted once.

    done, diverged   complete, by the present code
    stale            complete, by other code: computed again
    failed, running  have no values: computed again
    missing          not in the store
    """

    done: int = 0
    diverged: int = 0
    stale: int = 0
    failed: int = 0
    running: int = 0
    missing: int = 0
    seconds: float = 0.0  # of computing, in all cells that are there

    @property
    def complete(self) -> int:
        return self.done + self.diverged

    @property
    def cells(self) -> int:
        return self.complete + self.open

    @property
    def open(self) -> int:
        """Cells that a run would compute."""
        return self.stale + self.failed + self.running + self.missing


def is_complete(status: CellStatus | None, fingerprint: str) -> bool:
    """Whether a cell has its values, by the present code."""
    return kind(status, fingerprint) in ("done", "diverged")


def kind(status: CellStatus | None, fingerprint: str) -> str:
    """The name under which a cell is counted."""
    if status is None:
        return "missing"
    finished = status.state in ("done", "diverged")
    return "stale" if finished and status.fingerprint != fingerprint else status.state


def tally(ids: Sequence[str], statuses: Mapping[str, CellStatus], fingerprint: str) -> Tally:
    """Count the cells `ids`, of which the store knows `statuses`."""
    counts: dict[str, int] = {}
    for cell in ids:
        name = kind(statuses.get(cell), fingerprint)
        counts[name] = counts.get(name, 0) + 1
    seconds = sum(statuses[cell].seconds for cell in ids if cell in statuses)
    return Tally(**counts, seconds=seconds)
