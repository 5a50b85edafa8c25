"""Neurons as they were drawn, and ridge on them."""

import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.learners import RandomFeatures


def test_neurons_are_drawn_with_unit_variance_per_input(random_fit):
    fit = random_fit
    w, b = np.asarray(fit.weight, np.float64), np.asarray(fit.bias, np.float64)
    squares = 8 * w**2
    assert abs(squares.mean() - 1) < 4 * np.sqrt(2 / squares.size)
    assert abs(w.mean()) < 4 / np.sqrt(8 * w.size)
    assert abs((b**2).mean() - 1) < 4 * np.sqrt(2 / b.size)


def test_the_labels_keep_their_linear_part(random_fit, other):
    assert not random_fit.constant.any()
    assert not random_fit.linear.any()
    assert abs(np.mean(random_fit(other.x)[:, 0]) - 5) < 0.5


@pytest.mark.parametrize("width", [0, -2, 1.5, True])
def test_refuses_a_width_that_is_none(width):
    with pytest.raises(InvalidInputError, match="width must be"):
        RandomFeatures(width)
