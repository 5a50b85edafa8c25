"""SAVE follows the covariance of x: it sees even functions."""

import numpy as np

from featlearn.learners import SAVE


def test_the_matrix_is_the_formula():
    """33 rows in 4 slices by the order of y: of 9, 8, 8 and 8; seven rows do not exist."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    weight = (np.arange(40) < 33).astype(float)
    slices = np.array_split(np.argsort(y[:33]), 4)
    assert [len(s) for s in slices] == [9, 8, 8, 8]
    wanted = sum(
        len(s) / 33 * np.linalg.matrix_power(np.eye(3) - np.cov(x[s].T, bias=True), 2)
        for s in slices
    )
    np.testing.assert_allclose(SAVE(4, slices=4).matrix(x, y, weight), wanted, atol=1e-12)


def test_finds_even_directions(directions_found, links):
    assert (directions_found(SAVE(4).matrix, links["he2"]) > 0.95).all()
