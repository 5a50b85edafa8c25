"""Row-wise results computed block by block, so that temporaries follow the block."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

BLOCK_ELEMENTS = 2**21  # numbers in the largest array of one block: 16 MB in float64


def fill_by_rows(
    function: Callable[[Float[Array, "b d"]], Float[Array, "b k"]],
    x: Float[Array, "n d"],
    row_cost: int,
) -> Float[Array, "n k"]:
    """`function(x)` for a function that treats rows alike; one row expands to `row_cost` numbers.

    The last block is moved back to end at the last row and so overlaps the one before it: no row
    is padded and the result is filled in place.
    """
    n = x.shape[0]
    block = max(BLOCK_ELEMENTS // max(row_cost, 1), 1)
    if n <= block:
        return function(x)
    shape = jax.eval_shape(function, x[:block])

    def fill(step: Array, result: Array) -> Array:
        start = jnp.minimum(step * block, n - block)
        rows = jax.lax.dynamic_slice_in_dim(x, start, block)
        return jax.lax.dynamic_update_slice_in_dim(result, function(rows), start, axis=0)

    empty = jnp.zeros((n, *shape.shape[1:]), shape.dtype)
    return jax.lax.fori_loop(0, -(-n // block), fill, empty)
