"""A matrix as colours about zero."""

import base64
import re

import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.report._svg import draw_svg
from featlearn.report.figures import heat_panel, new_figure
from featlearn.report.figures._heat import _DIVERGING, _is_dark


def _contrast(share, dark):
    """Of white or of ink on the colour of a share of the limit (WCAG)."""

    def light(rgb):
        c = np.asarray(rgb)
        return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) @ (
            [0.2126, 0.7152, 0.0722]
        )

    ink = np.array([0x1C, 0x21, 0x27]) / 255
    text, ground = light([1, 1, 1] if dark else ink), light(_DIVERGING((share + 1) / 2)[:3])
    return (max(text, ground) + 0.05) / (min(text, ground) + 0.05)


def test_first_row_is_on_top_and_zero_in_the_middle():
    _figure, (ax,) = new_figure()
    heat_panel(ax, [[1.0, -3.0], [0.0, np.nan]])
    (image,) = ax.images
    np.testing.assert_array_equal(image.get_array().filled(9), [[1, -3], [0, 9]])
    assert image.get_clim() == (-3, 3)
    assert ax.get_ylim() == (1.5, -0.5)


def test_a_limit_is_kept():
    _, (ax,) = new_figure()
    heat_panel(ax, np.ones((3, 2)), limit=2)
    assert ax.images[0].get_clim() == (-2, 2)


def test_a_picture_holds_one_pixel_a_cell():
    def draw():
        figure, (ax,) = new_figure()
        heat_panel(ax, np.arange(12.0).reshape(3, 4))
        return figure

    picture = draw_svg(draw, "a-", "cells")
    sizes = {_png_size(data) for data in re.findall(r"data:image/png;base64,([^\"]*)", picture)}
    assert (4, 3) in sizes
    assert "pixelated" in picture


def _png_size(data):
    head = base64.b64decode(data)[16:24]
    return int.from_bytes(head[:4], "big"), int.from_bytes(head[4:], "big")


def test_values_and_names_are_written(assert_legible):
    figure, (ax,) = new_figure()
    heat_panel(ax, [[0.5, -0.25], [np.nan, 1]], values=True, label="cosine",
               x_names=["a", "b"], y_names=["u", "v"])  # fmt: skip
    assert_legible(figure, texts=["0.5", "−0.25", "—", "1", "a", "b", "u", "v", "cosine"])


def test_numbers_can_be_read_on_every_colour():
    for share in np.linspace(-1, 1, 41):
        assert _contrast(share, _is_dark(share)) > 3
    assert _contrast(-1, dark=False) < 2  # ink everywhere would not do


def test_all_zero_or_all_missing_is_still_a_figure(assert_legible):
    for matrix in (np.zeros((2, 2)), np.full((2, 2), np.nan)):
        figure, (ax,) = new_figure()
        heat_panel(ax, matrix, values=True)
        assert_legible(figure)


@pytest.mark.parametrize("matrix", [[1, 2], [[]], 3.0])
def test_refuses_what_is_not_a_matrix(matrix):
    with pytest.raises(InvalidInputError, match="give rows and columns"):
        heat_panel(new_figure()[1][0], matrix)
