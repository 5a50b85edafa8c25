"""The slow network against a formula worked out by hand, its gradient against differences."""

import numpy as np

from featlearn.testing import slow_dense, slow_dense_gradient

RNG = np.random.default_rng(0)
GRAPH = [[0], [0, 1], [1, 2]]
LAYERS = [
    [RNG.normal(size=(3, 2))],
    [RNG.normal(size=(2, 2)), RNG.normal(size=(2, 3))],
    [RNG.normal(size=(2, 3)), RNG.normal(size=(2, 2))],
]
HEADS = [np.array([1.0, 1.0, -1.0]), np.array([0.5, 0.5]), np.array([0.2, -0.2])]
X = np.array([0.7, -1.2])


def test_two_neurons_by_hand():
    """f = 2(x_1 + x_2)² + 3(x_1 + (x_1 + x_2)²)²."""
    value = slow_dense([[[[1, 1]]], [[[1, 0]], [[1]]]], [[2], [3]], [[0], [0, 1]], [1.0, 2.0])
    assert value == 2 * 9 + 3 * (1 + 9) ** 2


def test_the_gradient_is_that_of_the_values():
    found = slow_dense_gradient(LAYERS, HEADS, GRAPH, X)
    for at, layer in enumerate(LAYERS):
        for place, w in enumerate(layer):
            for index in np.ndindex(w.shape):
                kept, h = w[index], 1e-6
                w[index] = kept + h
                up = slow_dense(LAYERS, HEADS, GRAPH, X)
                w[index] = kept - h
                down = slow_dense(LAYERS, HEADS, GRAPH, X)
                w[index] = kept
                assert abs(found[at][place][index] - (up - down) / (2 * h)) < 1e-4
