"""A figure in the house style, and the marks that several panels share."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from featlearn.errors import InvalidInputError
from featlearn.report.figures._labels import ScaleLabel
from featlearn.report.figures._palette import GRID, INK, MUTED, PAPER, RULE

TEXT = 9.0  # points; a figure as wide as the page is shown at about its own size
SMALL = 8.0


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
    if columns < 1 or rows < 1:
        raise InvalidInputError(
            f"A figure of {columns} × {rows} panels has none; ask for one or more each way."
        )
    layout = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.05, wspace=0.03, hspace=0.03)
    figure = Figure(figsize=(width, height * rows), layout=layout, facecolor=PAPER)
    grid = figure.subplots(rows, columns, squeeze=False, sharex=share_x, sharey=share_y)
    axes = list(grid.flat)
    for ax in axes:
        _dress(ax)
    return figure, axes


def panel_title(ax: Axes, text: str) -> None:
    """Say above a panel, at its left, what it shows."""
    ax.set_title(text, loc="left", fontsize=TEXT, fontweight="bold", color=INK, pad=6)


def mark_scale(ax: Axes, value: float, text: str) -> None:
    """Mark a scale on the horizontal axis, such as d² or dᵖ, with a thin dashed line."""
    ax.axvline(value, color=MUTED, linestyle=(0, (4, 3)), linewidth=0.8, zorder=1.2)
    ax.add_artist(ScaleLabel(ax, value, text, fontsize=SMALL, color=MUTED))


def name_axes(ax: Axes, x: str, y: str) -> None:
    """Label the axes, but where the study has named them or a panel beside it shows the scale."""
    if not ax.get_xlabel() and ax.xaxis.get_tick_params().get("labelbottom", True):
        ax.set_xlabel(x)
    if not ax.get_ylabel() and ax.yaxis.get_tick_params().get("labelleft", True):
        ax.set_ylabel(y)


def _dress(ax: Axes) -> None:
    ax.set_facecolor(PAPER)
    ax.set_axisbelow(True)
    ax.grid(True, color=GRID, linewidth=0.7)
    ax.spines[["top", "right"]].set_visible(False)
    for spine in ax.spines.values():
        spine.set_color(RULE)
        spine.set_linewidth(0.8)
    ax.tick_params(which="both", color=RULE, labelcolor=INK, labelsize=SMALL)
    ax.tick_params(which="major", length=3.5, width=0.8)
    ax.tick_params(which="minor", length=2, width=0.6)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set(size=TEXT, color=INK)
        axis.get_offset_text().set(size=SMALL, color=MUTED)
