"""Slow reference: the empirical NTK from central differences of every parameter, in NumPy."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

STEP = 1e-5  # of a parameter of order one: truncation and rounding are both near 1e-10


def numerical_jacobian(
    fn: Callable[[Any, Any], Any], params: Any, x: Any, *, step: float = STEP
) -> np.ndarray:
    """∂f_a(x_i)/∂θ_p of shape (n, k, P), one parameter after another; all points at once.

    Needs 64-bit types enabled. P runs through the leaves of `params` in the order of its tree.
    """
    leaves, form = jax.tree.flatten(params)
    kept = [np.array(leaf, np.float64) for leaf in leaves]
    columns = []
    for which, leaf in enumerate(kept):
        for entry in np.ndindex(leaf.shape):
            ends = []
            for sign in (1, -1):
                moved = leaf.copy()
                moved[entry] += sign * step
                parts = [*kept[:which], moved, *kept[which + 1 :]]
                ends.append(np.asarray(fn(jax.tree.unflatten(form, parts), x), np.float64))
            columns.append((ends[0] - ends[1]) / (2 * step))
    jacobian = np.stack(columns, axis=-1)
    return jacobian[:, None] if jacobian.ndim == 2 else jacobian


def tangent_kernel_by_differences(
    fn: Callable[[Any, Any], Any], params: Any, x: Any, y: Any
) -> np.ndarray:
    """⟨∇f_a(x_i), ∇f_b(y_j)⟩ at [i, j, a, b]."""
    j_x, j_y = numerical_jacobian(fn, params, x), numerical_jacobian(fn, params, y)
    return np.einsum("iap,jbp->ijab", j_x, j_y)
