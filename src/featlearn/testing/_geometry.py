"""The subspace that a teacher depends on, and its degree."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scipy.special import comb

from featlearn.targets import Facts, Target
from featlearn.testing._moments import slopes
from featlearn.testing.bands import require

POINTS = 256
LINES = 64
FLAT = 1e-6  # of the largest mean squared slope: below it, f does not depend on a direction
ROTATED = 1e-4  # what float32 directions leave outside the declared subspace
VANISHES = 1e-9  # of the size of the terms of a finite difference in float64


def check_subspace(
    target: Target, facts: Facts, x: Float[Array, "n d"], w: Float[Array, "n d"]
) -> None:
    """f does not move orthogonally to S*, and moves along each direction in it.

    Slopes are taken off the support of x too, at x + w: S* belongs to f as a function on R^d.
    """
    if facts.subspace is None:
        return
    u, around = np.asarray(facts.subspace), x + w
    x, w = x[:POINTS], w[:POINTS]
    require(
        u.ndim == 2 and u.shape[0] == x.shape[1],
        f"subspace: shape {u.shape} instead of (d, r) with d = {x.shape[1]}.",
    )
    off = np.abs(u.T @ u - np.eye(u.shape[1])).max(initial=0.0)
    require(off < ROTATED, f"subspace: the basis is not orthonormal, by {off:.2g}.")
    y, moved = target(x), target(x + w - w @ u @ u.T)
    change = float(jnp.abs(moved - y).max() / jnp.maximum(jnp.abs(y).max(), jnp.abs(moved).max()))
    require(
        change < ROTATED,
        f"subspace: f changes by {change:.2g} of its size when x moves orthogonally to it.",
    )
    steep = np.asarray(slopes(target, around)).reshape(-1, len(u))
    size = np.linalg.norm(steep, axis=1, keepdims=True)  # else few draws hold all of it
    along = steep / np.maximum(size, np.finfo(float).tiny) @ u
    energy = np.linalg.eigvalsh(along.T @ along)
    require(
        energy[0] > FLAT * energy[-1],
        f"subspace: {u.shape[1]} directions are declared, and f does not depend on all of them.",
    )


def check_degree(
    target: Target, facts: Facts, x: Float[Array, "n d"], w: Float[Array, "n d"]
) -> None:
    """Along random lines, differences of order degree + 1 vanish and those of order degree not."""
    if facts.degree is None:
        return
    p, x, w = facts.degree, x[:LINES], w[:LINES]
    above, at = (_difference(target, x, w, order) for order in (p + 1, p))
    require(
        above < VANISHES,
        f"degree: {p} declared, and differences of order {p + 1} are {above:.2g} of f.",
    )
    require(
        at > VANISHES,
        f"degree: {p} declared, and differences of order {p} vanish: the degree is lower.",
    )


def _difference(target: Target, x: Array, w: Array, order: int) -> float:
    """Σ_k (−1)^k C(order, k) f(x + t_k w) over the sum of its terms' sizes, the largest found."""
    t = np.linspace(-1.0, 1.0, order + 1) if order else np.zeros(1)
    signs = comb(order, np.arange(order + 1)) * (-1.0) ** np.arange(order + 1)
    values = np.stack([np.asarray(target(x + step * w)) for step in t], axis=-1)
    size = np.sum(np.abs(signs * values), axis=-1)
    return float(np.max(np.abs(values @ signs) / np.maximum(size, np.finfo(float).tiny)))
