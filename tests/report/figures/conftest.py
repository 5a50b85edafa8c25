"""What a drawn figure holds: texts with their extents."""

from itertools import combinations

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg


def drawn(figure):
    """The figure laid out and drawn, with its renderer."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return canvas.get_renderer()


def words(figure):
    """Every text that is seen, with its extent in pixels."""
    renderer = drawn(figure)
    found = []
    for ax in figure.axes:
        texts = [*ax.texts, ax.title, ax._left_title, ax.xaxis.label, ax.yaxis.label]
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            ticks = [t for t in axis.get_major_ticks() if low <= t.get_loc() <= high]
            texts += [t.label1 for t in ticks if t.label1.get_visible()]
        if ax.get_legend():
            texts += ax.get_legend().get_texts()
        found += [(t.get_text(), t.get_window_extent(renderer)) for t in texts if t.get_text()]
    return found


def faults(figure):
    """Texts that are cut off by the figure's edge, and pairs that cover one another."""
    found = words(figure)
    edge = figure.bbox
    cut = [
        text
        for text, box in found
        if box.x0 < -0.5 or box.y0 < -0.5 or box.x1 > edge.x1 + 0.5 or box.y1 > edge.y1 + 0.5
    ]
    over = [
        (a, b)
        for (a, one), (b, two) in combinations(found, 2)
        if min(one.x1, two.x1) - max(one.x0, two.x0) > 0.5
        and min(one.y1, two.y1) - max(one.y0, two.y0) > 0.5
    ]
    return cut + over


@pytest.fixture
def assert_legible():
    """Fail where a text of the figure is cut off or covered by another."""

    def check(figure, *, texts=()):
        shown = [text for text, _ in words(figure)]
        for text in texts:
            assert text in shown, f"{text!r} is not among {shown}"
        assert faults(figure) == []

    return check


@pytest.fixture
def find_faults():
    return faults
