"""Results for every pair of rows, computed tile by tile, so that temporaries follow the tile.

A tile is `contract(prepare(x_i), y_j)` for a block of rows x_i and a block y_j; `prepare` runs
once for a block of x. The last block of either side is moved back to end at the last row and so
overlaps the one before it: no row is padded and the result is filled in place.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

Prepare = Callable[[Array], Any]
Contract = Callable[[Any, Array], Array]


def fill_by_tiles(
    prepare: Prepare, contract: Contract, x: Array, y: Array, block: int
) -> Float[Array, "n m *k"]:
    """`contract(prepare(x), y)` in tiles of at most block × block pairs."""
    n, m = x.shape[0], y.shape[0]
    if max(n, m) <= block:
        return contract(prepare(x), y)
    rows, columns = min(block, n), min(block, m)

    def fill_row(i: Array, result: Array) -> Array:
        top = jnp.minimum(i * rows, n - rows)
        prepared = prepare(jax.lax.dynamic_slice_in_dim(x, top, rows))

        def fill_one(j: Array, result: Array) -> Array:
            left = jnp.minimum(j * columns, m - columns)
            tile = contract(prepared, jax.lax.dynamic_slice_in_dim(y, left, columns))
            return _put(result, tile, top, left)

        return jax.lax.fori_loop(0, -(-m // columns), fill_one, result)

    empty = _empty(prepare, contract, x, y, rows, columns)
    return jax.lax.fori_loop(0, -(-n // rows), fill_row, empty)


def fill_symmetric(
    prepare: Prepare, contract: Contract, x: Array, block: int
) -> Float[Array, "n n *k"]:
    """The same for y = x, from the tiles on and above the diagonal and their mirror images.

    Entry (j, i) of any further axes is the transpose of entry (i, j). Tiles are skipped by a loop
    of variable length, through which reverse-mode differentiation does not go; `fill_by_tiles`
    has it.
    """
    n = x.shape[0]
    if n <= block:
        return contract(prepare(x), x)
    count = -(-n // block)

    def fill_row(i: Array, result: Array) -> Array:
        top = jnp.minimum(i * block, n - block)
        prepared = prepare(jax.lax.dynamic_slice_in_dim(x, top, block))

        def fill_one(j: Array, result: Array) -> Array:
            left = jnp.minimum(j * block, n - block)
            tile = contract(prepared, jax.lax.dynamic_slice_in_dim(x, left, block))
            mirrored = tile.transpose(1, 0, *range(2, tile.ndim)[::-1])
            return _put(_put(result, tile, top, left), mirrored, left, top)

        return jax.lax.fori_loop(i, count, fill_one, result)

    empty = _empty(prepare, contract, x, x, block, block)
    return jax.lax.fori_loop(0, count, fill_row, empty)


def _put(result: Array, tile: Array, top: Array, left: Array) -> Array:
    corner = (top, left) + (jnp.zeros_like(top),) * (tile.ndim - 2)
    return jax.lax.dynamic_update_slice(result, tile, corner)


def _empty(
    prepare: Prepare, contract: Contract, x: Array, y: Array, rows: int, columns: int
) -> Array:
    form = jax.eval_shape(lambda x, y: contract(prepare(x), y), x[:rows], y[:columns])
    return jnp.zeros((x.shape[0], y.shape[0], *form.shape[2:]), form.dtype)
