"""What a study is: a grid of cells, how fleets of them are measured, how rows are judged."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from featlearn.claims import Finding

if TYPE_CHECKING:  # half of a command's start, and only annotations here
    import pandas as pd
    from matplotlib.figure import Figure

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
    """What one cell gave: named values, or why it gave none.

    A value that is not defined is left out. A NaN among the values of a cell that is `done` makes
    it `diverged`; infinity is a value (a threshold that was never reached).
    """

    values: Mapping[str, float]
    state: Literal["done", "diverged", "failed"] = "done"
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class Study:
    """A claim's experiment.

    name        the claim's id, `system/claim`
    settings    by tier, the names that --set may change
    seeds       by tier, the number of repetitions
    grid        settings → cells' parameters, each with every number that determines the result
    shape       cells of equal shape form a fleet
    run         one fleet's outcomes, in the order of its cells
    judge       rows (one a cell: parameters, `repetition`, `state`, values) → findings
    fleet_size  most cells in one call of `run`; what is complete is kept fleet by fleet
    overlap     `run` may be called by several threads: `fleet.map_members` gives the machine to one
                program at a time, and several are compiled at once
    repeats     how many of the tier's seeds a cell gets: all, unless an expensive rival gets fewer
    """

    name: str
    source: str
    statement: str
    settings: Mapping[Tier, Settings]
    seeds: Mapping[Tier, int]
    grid: Callable[[Settings], list[dict[str, Any]]]
    shape: Callable[[Parameters], Hashable]
    run: Callable[[Sequence[Cell]], list[Outcome]]
    judge: Callable[["pd.DataFrame"], list[Finding]]
    figure: Callable[["pd.DataFrame"], "Figure"]
    notes: str  # markdown: what it measures / what it cannot tell / example
    headline: bool = False
    version: int = 1
    order: int = field(default=0)
    fleet_size: int | None = None
    overlap: bool = False
    repeats: Callable[[Parameters, int], int] = lambda parameters, seeds: seeds

    @property
    def system(self) -> str:
        """The part of the name before the slash."""
        return self.name.partition("/")[0]
