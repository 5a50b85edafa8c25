"""Names beside lines. They are placed when the figure is drawn, so that none covers another."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from scipy.optimize import isotonic_regression

from featlearn.report.figures._palette import INK, MUTED, PAPER

_GAP = 9.0  # points between the axes and the names at their right


class _Placed(Text):
    """A text whose place follows from the axes as they are at the moment of drawing."""

    def place(self, renderer: RendererBase | None) -> None:
        raise NotImplementedError

    def size(self, renderer: RendererBase | None) -> Bbox:
        """Its extent where it stands now."""
        return super().get_window_extent(renderer)

    def get_window_extent(
        self, renderer: RendererBase | None = None, dpi: float | None = None
    ) -> Bbox:
        self.place(renderer)
        return super().get_window_extent(renderer, dpi)

    def draw(self, renderer: RendererBase, *args: Any, **kwargs: Any) -> None:
        self.place(renderer)
        super().draw(renderer, *args, **kwargs)
