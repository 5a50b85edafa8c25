"""Tiles fill every pair once, whatever does not divide."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.kernels._pair_tiles import fill_by_tiles, fill_symmetric

X, Y = (np.random.default_rng(s).normal(size=(n, 3)) for s, n in ((0, 11), (1, 5)))


def prepare(x):
    return jnp.sin(x)


def contract(prepared, y):
    return prepared @ jnp.sin(y).T


def outputs(prepared, y):
    """Entries (a, b) that are not symmetric in a and b."""
    return jnp.einsum("ia,jb->ijab", prepared, jnp.sin(y))


@pytest.mark.parametrize("block", [1, 2, 4, 5, 11, 30])
@pytest.mark.parametrize("function", [contract, outputs])
def test_tiles_equal_the_whole(block, function):
    x, y = jnp.asarray(X), jnp.asarray(Y)
    whole = function(prepare(x), y)
    found = jax.jit(fill_by_tiles, static_argnums=(0, 1, 4))(prepare, function, x, y, block)
    np.testing.assert_allclose(found, whole, rtol=1e-13)
    turned = fill_by_tiles(prepare, function, y, x, block)
    np.testing.assert_allclose(turned, function(prepare(y), x), rtol=1e-13)
    symmetric = fill_symmetric(prepare, function, x, block)
    np.testing.assert_allclose(symmetric, function(prepare(x), x), rtol=1e-13)


def test_symmetry_saves_the_tiles_below_the_diagonal():
    counted = []

    def count(prepared, y):
        jax.debug.callback(lambda: counted.append(1))
        return contract(prepared, y)

    for fill, expected in ((fill_by_tiles, 16), (fill_symmetric, 10)):
        counted.clear()
        arguments = (X, X) if fill is fill_by_tiles else (X,)
        jax.block_until_ready(fill(prepare, count, *map(jnp.asarray, arguments), 3))
        jax.effects_barrier()
        assert len(counted) == expected


def test_a_large_result_is_filled():
    """Choosing between a large matrix and its transpose crashes some versions of XLA."""
    x = jnp.asarray(np.random.default_rng(2).normal(size=(1000, 3)))
    found = jax.jit(lambda x: fill_symmetric(prepare, contract, x, 300))(x)
    np.testing.assert_allclose(found, contract(prepare(x), x), rtol=1e-12)
