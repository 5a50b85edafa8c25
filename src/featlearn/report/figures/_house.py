"""A figure in the house style, and the marks that several panels share."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure


def new_figure(
    columns: int = 1,
    rows: int = 1,
    *,
    height: float = 3.2,
    width: float = 7.6,
    share_x: bool = False,
    share_y: bool = False,
) -> tuple[Figure, list[Axes]]:
    """A figure of `columns` × `rows` panels, `height` inches a row, with its axes in order."""
    raise NotImplementedError


def mark_scale(ax: Axes, value: float, text: str) -> None:
    """Mark a scale on the horizontal axis, such as d² or dᵖ, with a thin dashed line."""
    raise NotImplementedError
