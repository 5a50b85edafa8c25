"""Sums over rows, in blocks, so that memory follows the block and not the sample."""

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp
from jaxtyping import Array

Sums = TypeVar("Sums")
BLOCK_ELEMENTS = 2**24  # numbers in the largest array of one block: 64 MB in float32


def sum_over_rows(function: Callable[..., Sums], arrays: tuple[Array, ...], row_cost: int) -> Sums:
    """Σ over blocks of `function(*block)`, for a function that sums over its rows.

    `row_cost` is how many numbers one row expands to. Blocks are filled up with rows of zeros,
    so `function` must give zero rows no weight.
    """
    n = arrays[0].shape[0]
    block = max(BLOCK_ELEMENTS // max(row_cost, 1), 256)
    if n <= block:
        return function(*arrays)
    count = -(-n // block)
    padded = tuple(_fill(a, count * block).reshape(count, block, *a.shape[1:]) for a in arrays)
    start = jax.tree.map(
        lambda leaf: jnp.zeros(leaf.shape, leaf.dtype),
        jax.eval_shape(function, *(a[0] for a in padded)),
    )

    def add(total: Sums, rows: tuple[Array, ...]) -> tuple[Sums, None]:
        return jax.tree.map(jnp.add, total, function(*rows)), None

    return jax.lax.scan(add, start, padded)[0]


def _fill(a: Array, n: int) -> Array:
    return jnp.pad(a, [(0, n - a.shape[0])] + [(0, 0)] * (a.ndim - 1))
