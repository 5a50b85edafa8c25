"""Rows in blocks and tiles give what the whole gives, whatever the remainder."""

import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.kernels import _row_blocks
from featlearn.kernels._row_blocks import fill_by_rows, fill_symmetric


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


def test_rows_may_be_a_tree(monkeypatch):
    monkeypatch.setattr(_row_blocks, "BLOCK_ELEMENTS", 4)
    rows = {"a": jnp.arange(14.0).reshape(7, 2), "b": jnp.arange(7.0)}

    def function(rows):
        return rows["a"] + rows["b"][:, None]

    np.testing.assert_array_equal(fill_by_rows(function, rows, row_cost=2), function(rows))


@pytest.mark.parametrize("n", [1, 4, 5, 7, 8, 11])
def test_a_symmetric_matrix_is_its_lower_triangle_and_a_copy(monkeypatch, n):
    """Of a function that is not symmetric: which of two entries was kept is seen."""
    monkeypatch.setattr(_row_blocks, "TILE_SIDES", {"cpu": 4})
    seen = []

    def function(rows, columns):
        seen.append((rows.shape[0], columns.shape[0]))
        return 100 * rows + columns[:, 0]

    whole = np.asarray(function(each := jnp.arange(float(n))[:, None], each))
    found = np.asarray(fill_symmetric(function, each))
    np.testing.assert_array_equal(found, found.T)
    apart = np.subtract.outer(np.arange(n), np.arange(n))
    np.testing.assert_array_equal(found[apart >= 4], whole[apart >= 4])
    mean = (whole + whole.T) / 2
    assert np.all((found == whole) | (found == mean) | (apart < 0))
    np.testing.assert_array_equal(np.diag(found), np.diag(whole))
    assert max(seen[1:]) <= (4, 4)


def test_a_symmetric_matrix_from_a_tree_of_rows_in_its_type(monkeypatch):
    monkeypatch.setattr(_row_blocks, "TILE_SIDES", {"cpu": 3})
    x = np.random.default_rng(0).normal(size=(8, 2))
    rows = (jnp.asarray(x), jnp.asarray(x[:, 0], jnp.float32))

    def function(one, other):
        return ((one[0] @ other[0].T).astype(jnp.float32)) * one[1][:, None] * other[1]

    found = fill_symmetric(function, rows)
    assert found.dtype == jnp.float32
    np.testing.assert_allclose(found, function(rows, rows), rtol=1e-6)
