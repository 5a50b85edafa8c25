"""What goes into the store and what comes out of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

State = Literal["running", "done", "diverged", "failed"]


@dataclass(frozen=True, kw_only=True)
class CellRow:
    """One cell with everything that is known of how its values came about."""

    id: str
    study: str
    version: int
    parameters: Mapping[str, Any]
    repetition: int
    fingerprint: str
    versions: Mapping[str, str]
    device: str
    started: str
    state: State = "running"
    seconds: float | None = None
    finished: str | None = None
    message: str = ""
    values: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class CellStatus:
    """What decides whether a cell must be computed."""

    state: State
    fingerprint: str
    message: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class PlanRow:
    """Which cells a claim was judged on, and how to make them again.

    `code` names the modules that the cells' numbers depend on: with it a reader can tell whether
    they are still what the code would give, without loading the study.
    """

    id: str
    study: str
    tier: str
    settings: Mapping[str, Any]
    seeds: int
    cells: tuple[str, ...]
    command: str
    created: str
    seconds: float = 0.0
    code: tuple[str, ...] = ()
