"""α and β are means over the training rows, and are taken off every row."""

import numpy as np

from featlearn.learners._linear_part import linear_part, no_linear_part, split_without
from featlearn.learners._split import Rows, Split


def rows(seed, n, weight):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3)).astype(np.float32)
    return Rows(x, rng.normal(size=(n, 2)), np.asarray(weight, np.float32))


def test_are_means_over_rows_that_exist():
    given = rows(0, 20, np.arange(20) < 15)
    alpha, beta = linear_part(given)
    np.testing.assert_allclose(alpha, given.y[:15].mean(0), rtol=1e-12)
    wanted = np.mean(given.y[:15, None, :] * given.x[:15, :, None].astype(float), axis=0)
    np.testing.assert_allclose(beta, wanted, rtol=1e-10)


def test_validation_rows_lose_the_training_rows_parts():
    split = Split(rows(0, 20, np.ones(20)), rows(1, 5, np.ones(5)))
    parts = linear_part(split.train)
    left = split_without(split, parts)
    for before, after in zip(split, left, strict=True):
        wanted = before.y - np.asarray(parts[0]) - before.x.astype(float) @ np.asarray(parts[1])
        np.testing.assert_allclose(after.y, wanted, rtol=1e-10)
        np.testing.assert_array_equal(after.x, before.x)


def test_no_parts_change_nothing():
    split = Split(rows(0, 20, np.ones(20)), rows(1, 5, np.ones(5)))
    parts = no_linear_part(split.train)
    assert [part.shape for part in parts] == [(2,), (3, 2)]
    np.testing.assert_array_equal(split_without(split, parts).train.y, split.train.y)
