"""A matrix as colours, on a scale that is symmetric about zero."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from numpy.typing import ArrayLike

from featlearn.errors import InvalidInputError
from featlearn.report.figures._house import SMALL, TEXT
from featlearn.report.figures._palette import BLUE, INK, ORANGE, PAPER, RULE

_DIVERGING = LinearSegmentedColormap.from_list(
    "blue-orange", ["#003a61", BLUE, "#8fc1e3", "#f6f6f4", "#f2b880", ORANGE, "#6b3300"]
)


def heat_panel(
    ax: Axes,
    matrix: ArrayLike,
    *,
    x_names: Sequence[str] | None = None,
    y_names: Sequence[str] | None = None,
    label: str = "",
    limit: float | None = None,
    values: bool = False,
) -> None:
    """A matrix, first row on top, with a colour bar from −`limit` to `limit`.

    Blue is negative, orange positive, white zero; `limit` defaults to the largest entry's size.
    A cell that is not finite stays blank. `values=True` writes each number into its cell.
    """
    cells = np.asarray(matrix, float)
    if cells.ndim != 2 or not cells.size:
        raise InvalidInputError(
            f"A heat panel shows a matrix, got shape {cells.shape}; give rows and columns."
        )
    finite = np.abs(cells[np.isfinite(cells)])
    top = limit or (float(finite.max()) if finite.size else 0.0) or 1.0
    rows, columns = cells.shape
    image = ax.imshow(
        np.ma.masked_invalid(cells),
        cmap=_DIVERGING,
        vmin=-top,
        vmax=top,
        aspect="auto",
        interpolation="none",  # one pixel a cell in the file: no seams, and small
    )
    ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))
    ax.grid(False)
    _name_cells(ax, x_names, y_names)
    if values:
        _write_values(ax, cells, top)
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.05, pad=0.02, aspect=24)
    bar.outline.set(edgecolor=RULE, linewidth=0.6)
    bar.ax.tick_params(labelsize=SMALL, labelcolor=INK, color=RULE, length=3)
    bar.set_label(label, size=TEXT, color=INK)


def _name_cells(ax: Axes, x_names: Sequence[str] | None, y_names: Sequence[str] | None) -> None:
    if x_names is not None:
        ax.set_xticks(range(len(x_names)), x_names)
    if y_names is not None:
        ax.set_yticks(range(len(y_names)), y_names)


def _write_values(ax: Axes, cells: np.ndarray, top: float) -> None:
    for (row, column), value in np.ndenumerate(cells):
        text = f"{value:.2g}".replace("-", "−") if np.isfinite(value) else "—"
        shade = PAPER if _is_dark(value / top) else INK
        ax.text(column, row, text, ha="center", va="center", fontsize=SMALL, color=shade)


def _is_dark(share: float) -> bool:
    """Whether white is easier to read than ink on the colour of `share` of the limit."""
    if not np.isfinite(share):
        return False
    channels = np.array(_DIVERGING((share + 1) / 2)[:3])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return bool(linear @ [0.2126, 0.7152, 0.0722] < 0.26)
