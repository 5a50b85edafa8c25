"""Rows in blocks give what the whole gives, whatever the remainder."""

import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.kernels import _row_blocks
from featlearn.kernels._row_blocks import fill_by_rows


@pytest.mark.parametrize("n", [1, 4, 5, 7, 8, 11])
def test_equals_the_whole(monkeypatch, n):
    monkeypatch.setattr(_row_blocks, "BLOCK_ELEMENTS", 12)
    seen = []

    def function(rows):
        seen.append(rows.shape[0])
        return jnp.cumsum(rows, axis=1) ** 2

    x = jnp.asarray(np.random.default_rng(n).normal(size=(n, 3)))
    np.testing.assert_allclose(fill_by_rows(function, x, row_cost=3), jnp.cumsum(x, axis=1) ** 2)
    assert max(seen) <= 4


def test_a_row_larger_than_a_block_is_taken_alone(monkeypatch):
    monkeypatch.setattr(_row_blocks, "BLOCK_ELEMENTS", 2)
    x = jnp.arange(6.0).reshape(3, 2)
    np.testing.assert_array_equal(fill_by_rows(lambda rows: 2 * rows, x, row_cost=100), 2 * x)
