"""SIR follows the mean of x: it sees monotone functions and no even ones."""

import numpy as np

from featlearn.learners import SIR


def test_the_matrix_is_the_formula():
    """33 rows in 4 slices by the order of y: of 9, 8, 8 and 8; seven rows do not exist."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    weight = (np.arange(40) < 33).astype(float)
    slices = np.array_split(np.argsort(y[:33]), 4)
    assert [len(s) for s in slices] == [9, 8, 8, 8]
    wanted = sum(
        len(s) / 33 * np.outer(x[s].mean(0) - x[:33].mean(0), x[s].mean(0) - x[:33].mean(0))
        for s in slices
    )
    np.testing.assert_allclose(SIR(4, slices=4).matrix(x, y, weight), wanted, atol=1e-12)


def test_finds_a_function_that_moves_the_mean(directions_found, links):
    assert (directions_found(SIR(4).matrix, links["mixed"]) > 0.9).all()


def test_misses_an_even_function(directions_found, links):
    assert np.median(directions_found(SIR(4).matrix, links["he2"])) < 0.6
