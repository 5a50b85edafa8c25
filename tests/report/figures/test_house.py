"""Figures in the house style."""

import pytest

from featlearn.errors import InvalidInputError
from featlearn.report.figures import mark_scale, new_figure, panel_title


def test_panels_come_in_order():
    figure, axes = new_figure(2, 3, height=2)
    assert len(axes) == 6
    assert figure.get_size_inches().tolist() == [7.6, 6.0]
    assert [ax.get_subplotspec().num1 for ax in axes] == list(range(6))


@pytest.mark.parametrize(("columns", "rows"), [(0, 1), (1, 0)])
def test_no_panels(columns, rows):
    with pytest.raises(InvalidInputError, match="ask for one or more"):
        new_figure(columns, rows)


def test_marks_of_one_scale_step_aside(assert_legible):
    figure, (ax,) = new_figure()
    ax.set(xlim=(1, 1000), xscale="log")
    for i, text in enumerate(["d²", "d² r", "d³"]):
        mark_scale(ax, 100 * 1.02**i, text)
    mark_scale(ax, 990, "at the end")
    panel_title(ax, "title")
    assert_legible(figure, texts=["d²", "d² r", "d³", "at the end", "title"])
