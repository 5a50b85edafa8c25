"""Names beside lines. They are placed when the figure is drawn, so that none covers another."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from matplotlib.transforms import Bbox, IdentityTransform
from scipy.optimize import isotonic_regression

from featlearn.report.figures._palette import PAPER

_GAP = 9.0  # points between the axes and the names at their right
_APART = 1.0  # points between a name and the next


class _Placed(Text):
    """A text whose place follows from the axes as they are at the moment of drawing."""

    def __init__(self, ax: Axes, text: str, **style: Any) -> None:
        super().__init__(0, 0, text, transform=IdentityTransform(), clip_on=False, **style)
        self.panel = ax

    def place(self, renderer: RendererBase | None) -> None:
        """Set the position, in pixels; each kind of label has its own rule."""
        raise AssertionError("a placed text says where it goes")

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

    def _pixels(self, points: float) -> float:
        return points * self.panel.figure.dpi / 72


class EndLabel(_Placed):
    """A name at the right of the axes, as near to the height of its line's end as others allow.

    A thin leader joins the two where the line ends early or the name had to give way.
    """

    def __init__(self, ax: Axes, end: tuple[float, float], text: str, **style: Any) -> None:
        super().__init__(ax, text, va="center", ha="left", **style)
        self.end = end

    def place(self, renderer: RendererBase | None) -> None:
        column = [text for text in self.panel.texts if isinstance(text, EndLabel)]
        box = self.panel.bbox
        wanted = np.array([label._end_pixels()[1] for label in column])
        heights = np.array([label.size(renderer).height for label in column])
        centres = spread(wanted, heights + self._pixels(_APART), box.y0, box.y1)
        own = column.index(self)
        self.set_position((box.x1 + self._pixels(_GAP), float(centres[own])))

    def draw(self, renderer: RendererBase, *args: Any, **kwargs: Any) -> None:
        self.place(renderer)
        x, y = self._end_pixels()
        to_x, to_y = self.get_position()
        if abs(to_y - y) > self._pixels(3) or to_x - x > self._pixels(2 * _GAP):
            self._leader((x, y), (to_x - self._pixels(2), to_y)).draw(renderer)
        super().draw(renderer, *args, **kwargs)

    def _leader(self, start: tuple[float, float], stop: tuple[float, float]) -> Line2D:
        knee = max(start[0], self.panel.bbox.x1 - self._pixels(1))
        xs, ys = (start[0], knee, stop[0]), (start[1], start[1], stop[1])
        line = Line2D(xs, ys, color=self.get_color(), linewidth=0.6, alpha=0.55)
        line.set(transform=IdentityTransform(), linestyle=(0, (1, 2)))
        line.set_figure(self.panel.figure)
        return line

    def _end_pixels(self) -> tuple[float, float]:
        """The line's end, held inside the axes; at their foot where it has no height."""
        with np.errstate(all="ignore"):
            x, y = self.panel.transData.transform(self.end)
        box = self.panel.bbox
        x = float(np.clip(x, box.x0, box.x1)) if np.isfinite(x) else box.x1
        return x, float(np.clip(y, box.y0, box.y1)) if np.isfinite(y) else box.y0


class ScaleLabel(_Placed):
    """The name of a marked scale, at the head of its line and under the names it would cover."""

    def __init__(self, ax: Axes, value: float, text: str, **style: Any) -> None:
        super().__init__(ax, text, va="top", ha="left", **style)
        self.value = value
        self.set_path_effects([withStroke(linewidth=2.5, foreground=PAPER)])

    def place(self, renderer: RendererBase | None) -> None:
        box, gap = self.panel.bbox, self._pixels(3)
        x = float(self.panel.transData.transform((self.value, 1.0))[0])
        near_end = x + gap + self.size(renderer).width > box.x1
        self.set_horizontalalignment("right" if near_end else "left")
        self.set_position((x - gap if near_end else x + gap, box.y1 - gap))
        marks = [text for text in self.panel.texts if isinstance(text, ScaleLabel)]
        for earlier in marks[: marks.index(self)]:
            other, own = earlier.size(renderer), self.size(renderer)
            if own.overlaps(other):
                self.set_position((self.get_position()[0], other.y0 - gap / 2))


def spread(wanted: np.ndarray, heights: np.ndarray, low: float, high: float) -> np.ndarray:
    """Centres nearest to `wanted` (least squares) at which intervals of `heights` do not overlap.

    With s the stacked half-heights, centre − s must not decrease: an isotonic regression. Clipping
    it to [low, high] gives the constrained optimum; a column too high for that is centred.
    """
    order = np.argsort(wanted, kind="stable")
    h = heights[order]
    stacked = np.concatenate([[0.0], np.cumsum((h[:-1] + h[1:]) / 2)])
    level = isotonic_regression(wanted[order] - stacked).x
    least, most = low + h[0] / 2, high - h[-1] / 2 - stacked[-1]
    level = np.clip(level, least, most) if least <= most else np.full(len(h), (least + most) / 2)
    centres = np.empty(len(h))
    centres[order] = level + stacked
    return centres
