"""Sums in blocks are sums."""

import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.learners._rows import sum_over_rows


def products(x, weight):
    return {"gram": (x * weight[:, None]).T @ x, "count": weight.sum()}


@pytest.mark.parametrize("n", [256, 512, 700])
def test_blocks_do_not_show(n):
    x = np.random.default_rng(0).normal(size=(n, 3))
    got = sum_over_rows(products, (jnp.asarray(x), jnp.ones(n)), row_cost=2**24)
    np.testing.assert_allclose(got["gram"], x.T @ x, rtol=1e-10)
    assert got["count"] == n


def test_a_function_that_counts_empty_rows_is_found_out():
    n = 300
    arrays = (jnp.ones((n, 3)), jnp.ones(n))
    blocks = sum_over_rows(lambda x, w: jnp.exp(x).sum(), arrays, row_cost=2**24)
    assert abs(blocks - np.e * n * 3) > 100


def test_a_block_is_as_large_as_the_budget_allows():
    seen = []

    def sums(x):
        seen.append(x.shape[0])
        return x.sum()

    sum_over_rows(sums, (jnp.ones((5000, 1)),), row_cost=2**13)
    assert set(seen) == {2**11}
