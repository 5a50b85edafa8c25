"""What is read off a teacher's values where no formula gives it: its subspace and its degree.

Both belong to f as an analytic function on R^d, so that points drawn once decide them with
probability 1, up to the rounding of float64.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from featlearn.precision import double_precision

FLAT = 1e-6  # of the largest: slopes and coefficients below it are rounding of float32 numbers
LINES = 8


@double_precision
def subspace_of(function: Callable[[Any], Any], dim: int, scale: float = 1.0) -> np.ndarray:
    """An orthonormal basis of what f depends on: the row space of its Jacobians."""
    x = _points(0, (2 * dim + 2, dim), scale)
    jacobian = jax.jit(jax.vmap(jax.jacrev(lambda row: function(row[None])[0])))(x)
    rows = np.asarray(jacobian).reshape(-1, dim)
    _, values, vectors = np.linalg.svd(rows, full_matrices=False)
    return vectors[values > FLAT * values.max(initial=0.0)].T


@double_precision
def degree_of(function: Callable[[Any], Any], dim: int, most: int, scale: float = 1.0) -> int:
    """The degree of a polynomial that has at most degree `most`, from its values on lines."""
    start, along = _points(1, (LINES, dim), scale), _points(2, (LINES, dim), scale)
    t = np.cos(np.pi * (np.arange(most + 1) + 0.5) / (most + 1))
    at = jax.jit(lambda x: function(x))
    values = np.stack([np.asarray(at(start + step * along)) for step in t])
    fitted = np.polynomial.chebyshev.chebfit(t, values.reshape(most + 1, -1), most)
    sizes = np.abs(fitted).max(axis=1)
    return int(np.flatnonzero(sizes > FLAT**1.5 * sizes.max())[-1])


def _points(stream: int, shape: tuple[int, ...], scale: float) -> Any:
    return scale * jnp.asarray(np.random.default_rng(stream).normal(size=shape))
