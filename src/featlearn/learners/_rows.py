"""Sums over rows, in blocks: memory follows the block, and time the rows that exist."""

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

Sums = TypeVar("Sums")
BLOCK_ELEMENTS = {"cpu": 2**18, "gpu": 2**24}  # numbers in the largest array of one block
LEAST_BLOCK = 256  # rows; fewer would not fill a product of matrices


def sum_over_rows(
    function: Callable[..., Sums],
    arrays: tuple[Array, ...],
    row_cost: int,
    number: Float[Array, ""] | int | None = None,
) -> Sums:
    """Σ over blocks of `function(*block)`, for a function that sums over its rows.

    `row_cost` is how many numbers one row expands to. Of the rows the first `number` exist (all by
    default), and the blocks behind them are not computed. Blocks are filled up with rows of zeros,
    so `function` must give zero rows no weight.
    """
    n = arrays[0].shape[0]
    block = block_rows(row_cost)
    if n <= block:
        return function(*arrays)
    count = -(-n // block)
    padded = tuple(_fill(a, count * block) for a in arrays)

    def rows(step: Array | int) -> tuple[Array, ...]:
        return tuple(jax.lax.dynamic_slice_in_dim(a, step * block, block) for a in padded)

    def add(step: Array, total: Sums) -> Sums:
        return jax.tree.map(jnp.add, total, function(*rows(step)))

    start = jax.tree.map(
        lambda leaf: jnp.zeros(leaf.shape, leaf.dtype),
        jax.eval_shape(lambda: function(*rows(0))),
    )
    existing = count if number is None else jnp.ceil(number / block).astype(jnp.int32)
    return jax.lax.fori_loop(0, existing, add, start)


def block_rows(row_cost: int) -> int:
    """Rows of one block: its largest array stays in a CPU's cache, and fills a GPU."""
    elements = BLOCK_ELEMENTS.get(jax.default_backend(), BLOCK_ELEMENTS["gpu"])
    return max(elements // max(row_cost, 1), LEAST_BLOCK)


def _fill(a: Array, n: int) -> Array:
    return jnp.pad(a, [(0, n - a.shape[0])] + [(0, 0)] * (a.ndim - 1))
