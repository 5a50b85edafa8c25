"""Curves over a scale: medians over repetitions, with the band that half of them fall in."""

from collections.abc import Collection, Hashable, Mapping

import pandas as pd
from matplotlib.axes import Axes

from featlearn.report.figures._palette import Style


def curve_panel(
    ax: Axes,
    rows: pd.DataFrame,
    x: str,
    y: str,
    series: str,
    *,
    labels: Mapping[Hashable, str] | None = None,
    styles: Mapping[Hashable, Style] | None = None,
    log: Collection[str] = ("x", "y"),
    band: tuple[float, float] = (0.25, 0.75),
    direct: bool = True,
) -> None:
    """One line for each value of the column `series`: medians of `y` at each `x`, with bands.

    A value that is not finite (a repetition that diverged or was censored) is counted, then left
    out: the point is hollow where some are missing, a cross at the axis where all are.
    Series named like learners take the learners' styles, numbers a ramp from light to dark.
    `direct=False` draws no names at the line ends (for all but one of several like panels).
    """
    raise NotImplementedError
