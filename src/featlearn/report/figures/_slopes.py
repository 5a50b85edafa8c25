"""How a threshold grows with a size: n*(d) on logarithmic axes, with the fitted exponent."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from featlearn.claims import Measured
from featlearn.report.figures._palette import Style


def slope_panel(
    ax: Axes,
    sizes: Sequence[float],
    thresholds: Mapping[float, ArrayLike],
    censored: Mapping[float, ArrayLike] | None = None,
    slope: Measured | None = None,
    *,
    references: Mapping[str, float] | None = None,
    name: str = "one step",
    style: Style | None = None,
    x_label: str = "d",
    y_label: str = "n*(d)",
) -> None:
    """Thresholds of every seed against `sizes`, the fitted line with its band, and guide lines.

    `thresholds[d]` are the seeds' n*, `censored[d]` says which of them are only lower bounds: these
    are open upward triangles. `references` are slopes by name ('d²': 2.0), drawn as thin guides.
    Call it once for each learner, with the same axes.
    """
    raise NotImplementedError
