"""Moments of a teacher and of its derivatives against their averages over draws."""

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Float

from featlearn.targets import Facts, Target
from featlearn.testing.bands import check_average, require

ELEMENTS = 10**7  # of the largest array of derivatives


def check_moments(target: Target, facts: Facts, x: Float[Array, "n d"]) -> None:
    """E f, E f², E ∇f and E ∇²f, those that are declared; gradients are finite."""
    y = np.asarray(_values(target, x))
    d, k = x.shape[1], y[0].size
    gradients = slopes(target, x)
    require(np.isfinite(gradients).all(), "gradients: NaN or infinite.")
    if facts.mean is not None:
        check_average("mean", y, facts.mean)
    if facts.second_moment is not None:
        check_average("second_moment", y**2, facts.second_moment)
    if facts.linear is not None:
        check_average("linear", _outputs_last(gradients, 1), facts.linear)
    if facts.hessian is not None:
        draws = _hessians(target, x[: max(ELEMENTS // (d * d * k), 50)])
        check_average("hessian", _outputs_last(draws, 2), facts.hessian)


def _outputs_last(draws: Array, order: int) -> np.ndarray:
    """(n, d, *k) for gradients and (n, d, d, *k) for Hessians."""
    return np.moveaxis(np.asarray(draws), 1, -1) if draws.ndim == order + 2 else np.asarray(draws)


@eqx.filter_jit
def _values(target: Target, x: Array) -> Array:
    return target(x)


def slopes(target: Target, x: Float[Array, "n d"]) -> Float[Array, "n *k d"]:
    """∇f at the first points of x, as many as memory allows."""
    return _gradients(target, x[: max(ELEMENTS // x.shape[1], 50)])


@eqx.filter_jit
def _gradients(target: Target, x: Array) -> Array:
    return jax.vmap(jax.jacrev(lambda row: target(row[None])[0]))(x)


@eqx.filter_jit
def _hessians(target: Target, x: Array) -> Array:
    """(n, *k, d, d)"""
    return jax.vmap(jax.hessian(lambda row: target(row[None])[0]))(x)
