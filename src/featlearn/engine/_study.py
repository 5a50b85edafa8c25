"""What a study is: a grid of cells, how fleets of them are measured, how rows are judged."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pandas as pd
from matplotlib.figure import Figure

from featlearn.claims import Finding

Tier = Literal["smoke", "quick", "full"]
TIERS: tuple[Tier, ...] = ("smoke", "quick", "full")
Parameters = Mapping[str, Any]  # JSON scalars, and lists of them
Settings = Mapping[str, Any]  # the tier's settings, with what --set changed


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One number-producing unit: the parameters that determine it, and its repetition."""

    study: str
    version: int
    parameters: Parameters
    repetition: int


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one cell gave: named values, or why it gave none."""

    values: Mapping[str, float]
    state: Literal["done", "diverged", "failed"] = "done"
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class Study:
    """A claim's experiment.

    `name` is the claim's id. `settings[tier]` are the names that --set may change. `grid` turns
    settings into cells' parameters (each with every number that determines the result);
    cells of equal `shape` run together through `run`, in the order given.
    """

    name: str
    source: str
    statement: str
    settings: Mapping[Tier, Settings]
    seeds: Mapping[Tier, int]
    grid: Callable[[Settings], list[dict[str, Any]]]
    shape: Callable[[Parameters], Hashable]
    run: Callable[[Sequence[Cell]], list[Outcome]]
    judge: Callable[[pd.DataFrame], list[Finding]]
    figure: Callable[[pd.DataFrame], Figure]
    notes: str  # markdown: what it measures / what it cannot tell / example
    headline: bool = False
    version: int = 1
    order: int = field(default=0)
