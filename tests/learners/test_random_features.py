"""Neurons as they were drawn, and ridge on them."""

import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.learners import RandomFeatures


@pytest.fixture(scope="module")
def fit(easy, grid, key):
    return RandomFeatures(500, penalties=grid).fit(easy.sample, key=key)


def test_neurons_are_drawn_with_unit_variance_per_input(fit):
    w, b = np.asarray(fit.weight, np.float64), np.asarray(fit.bias, np.float64)
    squares = 8 * w**2
    assert abs(squares.mean() - 1) < 4 * np.sqrt(2 / squares.size)
    assert abs(w.mean()) < 4 / np.sqrt(8 * w.size)
    assert abs((b**2).mean() - 1) < 4 * np.sqrt(2 / b.size)


def test_the_head_is_ridge_on_the_labels_as_they_are(fit, easy, ridge, grid):
    """320 training rows and 500 neurons: neither side is decomposed where it is the larger."""
    x = easy.sample.x.astype(np.float64)
    h = np.maximum(x @ np.asarray(fit.weight).T + np.asarray(fit.bias), 0)
    path = ridge(h, easy.sample.y, grid)
    np.testing.assert_allclose(fit.record["validation"], path.errors, rtol=1e-4)
    assert fit.record["penalty"] == grid[path.best]
    np.testing.assert_allclose(fit(x), h @ path.heads[path.best][:, 0], atol=1e-3)
    assert not fit.constant.any()
    assert not fit.linear.any()


@pytest.mark.parametrize("width", [0, -2, 1.5, True])
def test_refuses_a_width_that_is_none(width):
    with pytest.raises(InvalidInputError, match="width must be"):
        RandomFeatures(width)
