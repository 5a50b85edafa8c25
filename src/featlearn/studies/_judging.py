"""From stored rows to numbers with intervals: thresholds, slopes, medians, flags."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np

from featlearn import measures  # loads SciPy when a measure is first used, not here
from featlearn.claims import Measured
from featlearn.harmonics import harmonics

if TYPE_CHECKING:
    import pandas as pd

    from featlearn.measures import Crossing, Slope


@dataclass(frozen=True)
class Growth:
    """n* of every seed at each size, on which side it is only a bound, and the fitted exponent."""

    thresholds: Mapping[float, list[float]]
    sides: Mapping[float, Sequence[str]]
    slope: "Slope"

    @property
    def sizes(self) -> list[float]:
        return list(self.thresholds)


def select(rows: "pd.DataFrame", **where: Hashable) -> "pd.DataFrame":
    """The rows with these parameters."""
    for name, value in where.items():
        rows = rows[rows[name] == value]
    return rows


def by(rows: "pd.DataFrame", column: str) -> "dict[float, pd.DataFrame]":
    """The rows for each value of a numeric column, smallest first."""
    return {float(value): rows[rows[column] == value] for value in sorted(rows[column].unique())}


def median(rows: "pd.DataFrame", column: str) -> Measured:
    """The median over the seeds that gave a number, with its interval."""
    values = rows.loc[rows["state"] == "done", column].to_numpy(float)
    return measures.median_interval(values)


def growth(rows: "pd.DataFrame", level: float) -> Growth:
    """n*(d) at which the error comes down to `level`, seed by seed, and its exponent."""
    return growth_of({d: crossings(group, level) for d, group in by(rows, "d").items()})


def crossings(rows: "pd.DataFrame", level: float) -> "list[Crossing]":
    """n* of every seed, at one d."""
    return [
        measures.threshold_crossing(curve["n"], curve["risk"], level)
        for _, curve in rows.groupby("repetition")
    ]


def growth_of(found: "Mapping[float, list[Crossing]]") -> Growth:
    """The exponent of crossings, those that are only bounds treated as such."""
    thresholds = {size: [c.value for c in each] for size, each in found.items()}
    sides = {size: [c.side for c in each] for size, each in found.items()}
    return Growth(thresholds, sides, measures.exponent(list(thresholds), thresholds, sides))


def median_crossing(found: "list[Crossing]", unit: float) -> Measured:
    """Median n*/unit; a curve that never comes down counts as infinite."""
    return measures.median_interval(
        [float("inf") if c.side == "above" else c.value / unit for c in found]
    )


def decay(rows: "pd.DataFrame", over: str, error: str) -> "Slope":
    """The exponent with which an error changes with `over`, from all seeds at each size."""
    sizes = {
        size: group.loc[group["state"] == "done", error].to_numpy(float)
        for size, group in by(rows, over).items()
    }
    return measures.exponent(list(sizes), sizes)


def flags_of(rows: "pd.DataFrame") -> tuple[str, ...]:
    """What a reader must know of these cells: some diverged, or most chose the end of a grid."""
    flags = []
    if (rows["state"] != "done").any():
        flags.append("diverged")
    if "grid_edge" in rows and (rows["grid_edge"].abs() > 0).mean() > 0.5:
        flags.append("grid edge")
    return tuple(flags)


def harmonics_slope(dims: list[float], p: int) -> float:
    """How fast the number of degree-p harmonics grows over these dimensions."""
    x = [log(d) for d in dims]
    y = [log(harmonics(int(d), p)) for d in dims]
    return float(np.polyfit(x, y, 1)[0])
