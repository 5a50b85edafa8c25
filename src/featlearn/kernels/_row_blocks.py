"""Row-wise results computed block by block, and symmetric ones tile by tile.

Temporaries follow the block or tile, not the result. `rows` may be any tree of arrays with a row
for each point.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

BLOCK_ELEMENTS = 2**21  # numbers in the largest array of one block: 16 MB in float64
CACHED_ELEMENTS = 2**17  # in that of a block that stays in a CPU core's cache: 1 MB
FEWEST_ROWS = 16  # a block is not made to fit the cache at the price of thinner ones
# Rows of a tile: a CPU core's second cache holds its float64; a GPU is filled by the large one.
TILE_SIDES = {"cpu": 256}
TILE_SIDE_ELSEWHERE = 4096


def fill_by_rows(
    function: Callable[[Any], Float[Array, "b k"]], rows: Any, row_cost: int
) -> Float[Array, "n k"]:
    """`function(rows)` for a function that treats rows alike; one expands to `row_cost` numbers.

    The last block is moved back to end at the last row and so overlaps the one before it: no row
    is padded and the result is filled in place.
    """
    n = _count(rows)
    block = _rows_of_a_block(max(row_cost, 1))
    if n <= block:
        return function(rows)
    shape = jax.eval_shape(function, _slice(rows, 0, block))

    def fill(step: Array, result: Array) -> Array:
        start = jnp.minimum(step * block, n - block)
        here = function(_slice(rows, start, block))
        return jax.lax.dynamic_update_slice_in_dim(result, here, start, axis=0)

    empty = jax.lax.empty((n, *shape.shape[1:]), shape.dtype)
    return jax.lax.fori_loop(0, -(-n // block), fill, empty)


def fill_symmetric(
    function: Callable[[Any, Any], Float[Array, "b b"]], rows: Any
) -> Float[Array, "n n"]:
    """`function(rows, rows)`, a symmetric matrix, from its lower triangle of square tiles.

    Exactly symmetric: above the tiles of the diagonal are copies, and those are averaged with
    their transpose at the end. The last tiles overlap their neighbours, as in `fill_by_rows`; the
    one on the diagonal is written after them.
    """
    n = _count(rows)
    side = TILE_SIDES.get(jax.default_backend(), TILE_SIDE_ELSEWHERE)
    if n <= side:
        none = jnp.isnan(jnp.sum(jax.tree.leaves(rows)[0])).astype(
            jnp.int32
        )  # 0 or 1: not negative
        return _symmetrised(_computed_once(function(rows, rows), none, none))
    starts = np.minimum(np.arange(0, n, side), n - side)
    below, left = (jnp.asarray(starts[k]) for k in np.tril_indices(len(starts)))
    kind = jax.eval_shape(function, *(_slice(rows, 0, side),) * 2).dtype

    def fill(step: Array, result: Array) -> Array:
        i, j = below[step], left[step]
        tile = _computed_once(function(_slice(rows, i, side), _slice(rows, j, side)), i, j)
        result = jax.lax.dynamic_update_slice(result, tile, (i, j))
        return jax.lax.dynamic_update_slice(result, tile.T, (j, i))

    def symmetrise(step: Array, result: Array) -> Array:
        i = diagonal[step]
        tile = jax.lax.dynamic_slice(result, (i, i), (side, side))
        return jax.lax.dynamic_update_slice(result, _symmetrised(tile), (i, i))

    diagonal = jnp.asarray(starts)
    filled = jax.lax.fori_loop(0, len(below), fill, jax.lax.empty((n, n), kind))
    return jax.lax.fori_loop(0, len(starts), symmetrise, filled)


def _rows_of_a_block(row_cost: int) -> int:
    if jax.default_backend() != "cpu":
        return max(8 * BLOCK_ELEMENTS // row_cost, 1)
    most = max(BLOCK_ELEMENTS // row_cost, 1)
    return min(most, max(CACHED_ELEMENTS // row_cost, FEWEST_ROWS))


def _symmetrised(tile: Float[Array, "b b"]) -> Float[Array, "b b"]:
    """The mean of the tile and its transpose: they differ by rounding."""
    return (tile + tile.T) / 2


def _computed_once(tile: Float[Array, "b b"], i: Array, j: Array) -> Float[Array, "b b"]:
    """The tile, divided by ones that the compiler cannot foresee: no index is negative.

    On a CPU XLA copies cheap arithmetic into every place that uses it, and would compute a tile
    twice: to store it, and once more entry by entry to store its transpose. A quotient counts as
    dear. On a GPU one program writes both.
    """
    if jax.default_backend() != "cpu":
        return tile
    each = jnp.arange(tile.shape[0])
    zero, other_zero = (jnp.minimum(start + each, 0).astype(tile.dtype) for start in (i, j))
    return tile / (1 + zero[:, None] + other_zero)


def _count(rows: Any) -> int:
    count: int = jax.tree.leaves(rows)[0].shape[0]
    return count


def _slice(rows: Any, start: Any, size: int) -> Any:
    return jax.tree.map(lambda a: jax.lax.dynamic_slice_in_dim(a, start, size), rows)
