"""From the rows of a search to one row for each fit: the setting that its validation rows chose."""

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np

from featlearn import measures  # loads SciPy when a measure is first used, not here
from featlearn.claims import Measured

if TYPE_CHECKING:
    import pandas as pd

ONE_FIT = (
    "learner", "target", "n", "width", "alpha", "beta", "apart", "d", "p", "repetition",
)  # fmt: skip


def chosen(rows: "pd.DataFrame", by: str = "validation") -> "pd.DataFrame":
    """The best setting of every learner, target and repetition.

    Settings that diverged are never chosen; where all did, the errors are infinite.
    """
    import pandas as pd

    kept = []
    for _, group in rows.groupby(list(ONE_FIT), sort=False):
        done = group[group["state"] == "done"]
        if len(done):
            kept.append(done.loc[[done[by].idxmin()]])
        else:
            kept.append(group.iloc[[0]].assign(risk=np.inf, state="done"))
    return pd.concat(kept, ignore_index=True) if kept else rows


def select(rows: "pd.DataFrame", **where: Hashable) -> "pd.DataFrame":
    """The rows with these parameters."""
    for name, value in where.items():
        rows = rows[rows[name] == value]
    return rows


def over(rows: "pd.DataFrame", column: str, unit: float) -> Measured:
    """The median over seeds of a column in a unit, with its interval."""
    return measures.median_interval(rows[column].to_numpy(float) / unit)


def line_of(target: str, alpha: float) -> float:
    """kα²: the error of F alone."""
    return {"slides": 8, "later": 15, "power": 1}[target] * alpha**2


def flags_of(rows: "pd.DataFrame", best: "pd.DataFrame") -> tuple[str, ...]:
    """What a reader must know: settings that diverged, and choices at the edge of their grid."""
    flags = []
    if (rows["state"] != "done").any():
        flags.append("some settings diverged")
    if "grid_edge" in best and (best["grid_edge"].abs() > 0).mean() > 0.5:
        flags.append("grid edge")
    tried = sorted(rows["rate"].unique())
    if len(tried) > 2 and (best["rate"].isin([tried[0], tried[-1]])).mean() > 0.5:
        flags.append("grid edge")  # of two values each is an edge
    return tuple(dict.fromkeys(flags))
