"""Ticks of logarithmic axes."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from featlearn.report.figures import new_figure
from featlearn.report.figures._ticks import LogTicks, scale_axis


def _labels(values, limits=None, columns=1, few=True):
    """The labels that an x axis over these values shows."""
    figure, axes = new_figure(columns, height=2)
    ax = axes[0]
    ax.set_xlim(*(limits or (min(values), max(values))))
    scale_axis(ax, "x", np.asarray(values, float), few=few)
    ax.set_xlim(*(limits or (min(values), max(values))))
    FigureCanvasAgg(figure).draw()
    low, high = ax.get_xlim()
    return [
        tick.label1.get_text()
        for tick in ax.xaxis.get_major_ticks()
        if low * 0.999 <= tick.get_loc() <= high * 1.001
    ]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (1, 1000, [1, 10, 100, 1000]),
        (100, 20000, [100, 300, 1000, 3000, 10000]),
        (1, 10, [1, 2, 5, 10]),
        (0, 1, []),
    ],
)
def test_as_many_as_there_is_room_for(low, high, ticks):
    np.testing.assert_allclose(LogTicks().tick_values(low, high), ticks)


@pytest.mark.parametrize(("low", "high"), [(0.9, 1.9), (1e-9, 1e3), (3, 400), (7, 9)])
def test_a_few_within_the_axis(low, high):
    found = LogTicks().tick_values(low, high)
    assert 2 <= len(found) <= 6
    assert all(low <= tick <= high for tick in found)


def test_the_sizes_of_the_data_are_named():
    assert _labels([8, 16, 32, 64]) == ["8", "16", "32", "64"]
    assert _labels([1000, 4000, 16000]) == ["1\u2009000", "4\u2009000", "16\u2009000"]


def test_ten_thousand_is_written_out():
    assert _labels([128 * 2**i for i in range(8)])[-1] == "10\u2009000"


def test_long_ranges_are_powers_of_ten():
    assert _labels([1e-6, 1e-3, 1.0], few=False)[0] == "10⁻⁶"


def test_fewer_where_room_is_short():
    values = [1000 * 2**i for i in range(7)]
    wide, narrow = _labels(values), _labels(values, columns=4)
    assert len(wide) == 7
    assert 2 <= len(narrow) < 7


def test_an_axis_from_zero_is_linear_there():
    assert _labels([0, 2, 8, 32]) == ["0", "2", "8", "32"]
