"""Findings as a forest."""

import math

import pytest

from featlearn.claims import AtLeast, AtMost, Between, Measured, judge
from featlearn.errors import InvalidInputError
from featlearn.report.figures import forest_panel, new_figure
from featlearn.report.figures._forest import allowed_region
from featlearn.report.figures._palette import TONE_COLOURS

_INF = math.inf


def _found(label, value, low, high, bound, **more):
    return judge("a/b", label, Measured(value, low, high, 8), bound, **more)


FINDINGS = [
    _found("holds", 1.6, 1.5, 1.7, AtMost(2)),
    _found("fails", 3, 2.5, 3.5, AtMost(2)),
    _found("open", 2.1, 1.9, 2.3, AtMost(2)),
    _found("reaches on", 3, 2.5, _INF, AtLeast(2)),
    _found("control that fails", 3, 2.5, 3.5, AtMost(2), role="control"),
    _found("control that holds", 1, 0.5, 1.5, Between(0, 2), role="control"),
    _found("a label so long that it cannot stand in one line and hardly in two " * 2,
           1.2e-5, 1e-5, 1.5e-5, None),
    _found("no number", math.nan, math.nan, math.nan, None),
]  # fmt: skip


def _forest():
    figure, (ax,) = new_figure(height=0.25 + 0.42 * len(FINDINGS))
    forest_panel(ax, FINDINGS)
    return figure, ax


@pytest.mark.parametrize(
    ("predicted", "region"),
    [
        (str(AtMost(2)), (-_INF, 2)),
        (str(AtLeast(0.5)), (0.5, _INF)),
        (str(Between(-1, 1e-3)), (-1, 1e-3)),
        ("slope ≤ 2.", (-_INF, 2)),
        ("≥ −1.5 and ≤ 3", (-1.5, 3)),
        ("grows", None),
        ("—", None),
    ],
)
def test_reads_the_region_from_the_prediction(predicted, region):
    assert allowed_region(predicted) == region


def test_the_interval_lies_where_the_bound_says():
    _, ax = _forest()
    for row, inside in ((0, True), (1, False), (4, False), (5, True)):
        region = [p for p in ax.patches if abs(p.get_y() - (row - 0.3)) < 1e-9][1]
        (line,) = [
            x for x in ax.lines
            if len(x.get_xdata()) == 2 and list(x.get_ydata()) == [row, row]
        ]  # fmt: skip
        start, stop = region.get_x(), region.get_x() + region.get_width()
        low, high = line.get_xdata()
        assert (start <= low and high <= stop) == inside
        assert low < high


def test_colours_say_what_is_as_it_should_be():
    _, ax = _forest()
    colours = {}
    for line in ax.lines:
        if len(line.get_xdata()) == 2 and line.get_ydata()[0] == line.get_ydata()[1]:
            colours[int(line.get_ydata()[0])] = line.get_color()
    tones = ["good", "bad", "open", "good", "good", "bad", "plain"]
    assert colours == {row: TONE_COLOURS[tone] for row, tone in enumerate(tones)}


def test_an_end_at_infinity_is_an_arrow():
    _, ax = _forest()
    arrows = [line for line in ax.lines if line.get_marker() in ("<", ">")]
    assert [(a.get_marker(), a.get_ydata()[0]) for a in arrows] == [(">", 3)]


def test_is_legible(assert_legible):
    figure, _ = _forest()
    assert_legible(
        figure,
        texts=[
            "holds: 1.6 [1.5, 1.7]",
            "predicted ≤ 2",
            "open: 2.1 [1.9, 2.3]",
            "holds: 3 [2.5, ∞]",
            "fails, as it must: 3 [2.5, 3.5]",
            "holds, but must fail: 1 [0.5, 1.5]",
            "control: control that fails",
            "no number",
        ],
    )


def test_no_findings():
    with pytest.raises(InvalidInputError, match="judge the study first"):
        forest_panel(new_figure()[1][0], [])
