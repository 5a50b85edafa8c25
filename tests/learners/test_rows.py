"""Sums in blocks are sums."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.learners._rows import BLOCK_ELEMENTS, sum_over_rows


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

    wanted = 2**10
    sum_over_rows(sums, (jnp.ones((5000, 1)),), row_cost=BLOCK_ELEMENTS["cpu"] // wanted)
    assert set(seen) == {wanted}


@pytest.mark.parametrize("number", [0, 1, 256, 257, 2000])
def test_blocks_behind_the_rows_that_exist_are_not_computed(number):
    n = 2000
    blocks = []

    def sums(x, weight):
        jax.debug.callback(lambda: blocks.append(1))
        return (x[:, 0] * weight).sum()

    weight = (jnp.arange(n) < number).astype(jnp.float64)
    x = jnp.arange(n, dtype=jnp.float64)[:, None]
    got = sum_over_rows(sums, (x, weight), row_cost=2**24, number=weight.sum())
    jax.effects_barrier()
    assert got == number * (number - 1) / 2
    assert len(blocks) == -(-number // 256)


def test_members_of_a_fleet_stop_each_at_its_own_rows():
    n = 1000
    x = jnp.asarray(np.random.default_rng(0).normal(size=(n, 3)))
    numbers = jnp.asarray([1.0, 300.0, 1000.0])

    def gram(number):
        weight = (jnp.arange(n) < number).astype(jnp.float64)
        return sum_over_rows(products, (x, weight), row_cost=2**24, number=number)["gram"]

    for number, got in zip(numbers, jax.vmap(gram)(numbers), strict=True):
        np.testing.assert_allclose(got, x[: int(number)].T @ x[: int(number)], atol=1e-10)
