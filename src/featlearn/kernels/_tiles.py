"""K(x, x) c tile by tile: no more than one tile of the Gram matrix exists at a time.

    K = Σ_i K_ii + Σ_{i<j} (K_ij + K_ijᵀ)        tiles of equal size along both axes

Symmetry halves the kernel's evaluations, which are most of the work. A tile and its product may
be in float32, by the kernel's own formulas for it; sums over tiles are in float64.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.kernels._base import Kernel, is_single, with_array_leaves

ROWS_CPU, ROWS_GPU = 256, 8192  # rows of a tile: it fills a cache, or a GPU


def symmetric_product(
    kernel: Kernel, x: Float[Array, "n d"], c: Float[Array, "n k"], dtype: Any = jnp.float64
) -> Float[Array, "n k"]:
    """Σ_j K(x_i, x_j) c_j in float64, with tiles of `dtype`."""
    n = x.shape[0]
    size = tile_rows(n)
    count = -(-n // size)
    largest = jnp.maximum(jnp.max(jnp.abs(c), axis=0), jnp.finfo(jnp.float64).tiny)
    padding = [(0, count * size - n), (0, 0)]
    kernel, points = with_array_leaves(kernel), jnp.pad(x, padding).astype(jnp.float64)
    columns = jnp.pad(c / largest, padding).astype(dtype)
    sides, between = (
        (kernel.single_rows(points), kernel.single_between)
        if is_single(dtype)
        else (points, kernel.between)
    )
    each = jnp.arange(size)

    def rows(tree: Any, tile: Array) -> Any:
        return jax.tree.map(lambda a: jax.lax.dynamic_slice_in_dim(a, tile * size, size), tree)

    def add(total: Array, tile: Array, part: Array) -> Array:
        after = rows(total, tile) + part.astype(jnp.float64)
        return jax.lax.dynamic_update_slice_in_dim(total, after, tile * size, axis=0)

    def on_diagonal(i: Array, total: Array) -> Array:
        here = rows(sides, i)
        diagonal = kernel.at(rows(points, i)).astype(dtype)
        tile = between(here, here).at[each, each].set(diagonal)
        return add(total, i, tile @ rows(columns, i))

    def beside(pair: Array, total: Array) -> Array:
        i, j = first[pair], second[pair]
        tile = between(rows(sides, i), rows(sides, j))
        total = add(total, i, tile @ rows(columns, j))
        return add(total, j, tile.T @ rows(columns, i))

    first, second = (jnp.asarray(places) for places in np.triu_indices(count, 1))
    with jax.default_matmul_precision("highest"):  # a GPU would leave three digits of float32
        total = jnp.zeros((count * size, c.shape[1]), jnp.float64)
        total = jax.lax.fori_loop(0, count, on_diagonal, total)
        if count > 1:
            total = jax.lax.fori_loop(0, len(first), beside, total)
    return total[:n] * largest


def tile_rows(n: int) -> int:
    """Rows of a tile: of all tiles of about the best size, the one that pads n least."""
    most = ROWS_CPU if jax.default_backend() == "cpu" else ROWS_GPU
    return -(-n // -(-n // most))
