"""The last fifth validates, padded or not."""

import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.learners._split import columns, split_rows, split_weights
from featlearn.samples import Sample


def rows(n, total, k=()):
    x = np.arange(total * 2, dtype=np.float32).reshape(total, 2)
    return x, np.arange(total * max(1, *k, 1)).reshape(total, *k).astype(np.float64)


def real(part):
    keep = np.asarray(part.weight) > 0
    return np.asarray(part.x)[keep], np.asarray(part.y)[keep]


@pytest.mark.parametrize("n", [10, 14, 15, 24])
@pytest.mark.parametrize("total", [24, 31])
def test_a_padded_sample_splits_like_its_own_rows(n, total):
    x, y = rows(n, total)
    padded = split_rows(Sample(x, y, jnp.asarray(n)))
    alone = split_rows(Sample(x[:n], y[:n]))
    for ours, own, wanted in zip(
        padded, alone, (slice(n - n // 5), slice(n - n // 5, n)), strict=True
    ):
        for part in (ours, own):
            got_x, got_y = real(part)
            np.testing.assert_array_equal(got_x, x[wanted])
            np.testing.assert_array_equal(got_y, y[wanted, None])
        assert ours.number == own.number == own.x.shape[0]
    assert padded.validate.x.shape[0] == total // 5


def test_weights_sum_to_the_real_rows():
    train, validate = split_weights(Sample(*rows(17, 30), jnp.asarray(17)))
    np.testing.assert_array_equal(train, np.arange(30) < 14)
    np.testing.assert_array_equal(validate, (np.arange(30) >= 14) & (np.arange(30) < 17))


def test_labels_become_columns_in_float64():
    x, y = rows(10, 10, (3,))
    assert columns(y).shape == (10, 3)
    assert columns(y[:, 0]).shape == (10, 1)
    split = split_rows(Sample(x.astype(np.float64), y.astype(np.float32)))
    assert split.train.x.dtype == np.float32
    assert split.train.y.dtype == np.float64


def test_no_rows_divide_by_one():
    empty = split_rows(Sample(*rows(10, 10))).train._replace(weight=jnp.zeros(8))
    assert empty.number == 1
