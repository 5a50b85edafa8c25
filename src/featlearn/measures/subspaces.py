"""Whether a network's neurons, or found directions, lie in the target's subspace S*.

    outside = ‖W(I − UUᵀ)‖² / ‖W‖²                 for neurons w_j, the rows of W, and S* = span U
    cos θ_i = the singular values of VᵀU           for directions V, both with orthonormal columns

Neurons without any relation to S* have outside = 1 − r/d on average, and a random subspace of the
same dimension has mean cos² = r/d: a measurement means something only beside these levels.
"""

from functools import lru_cache
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scipy.stats import beta

from featlearn.decompositions import qr, singular_values
from featlearn.errors import InvalidInputError
from featlearn.measures.estimates import Estimate
from featlearn.precision import double_inside

NULL_DRAWS = 4000


def subspace_energy(fit: Any, task: Any) -> Estimate:
    """The part of the neurons' squared norm that lies outside S*; see `random_level`.

    `fit` has `.weight` or is an array (m, d); `task` has a target that declares its subspace, or
    is a basis (d, r). Nothing is drawn, so the standard error is 0 and `n` counts neurons.
    """
    weight = jnp.asarray(getattr(fit, "weight", fit))
    value = energy_outside(weight, basis_of(task))
    return Estimate(value, jnp.zeros_like(value), jnp.asarray(weight.shape[0], jnp.int32))


def basis_of(task: Any) -> Float[Array, "d r"]:
    """S* as the target declares it, or the array itself."""
    if not hasattr(task, "target"):
        return jnp.asarray(task)
    subspace = task.target.facts(task.inputs).subspace
    if subspace is None:
        raise InvalidInputError(
            f"{type(task.target).__name__} declares no subspace for these inputs: "
            "give an orthonormal basis (d, r) instead of the task."
        )
    return jnp.asarray(subspace)


@double_inside
def energy_outside(weight: Float[Array, "m d"], basis: Float[Array, "d r"]) -> Float[Array, ""]:
    """‖W(I − UUᵀ)‖² / ‖W‖², between 0 and 1; 1 − r/d for rows in random directions."""
    weight, basis = weight.astype(jnp.float64), orthonormal(basis)
    rest = weight - (weight @ basis) @ basis.T
    return jnp.sum(rest**2) / jnp.maximum(jnp.sum(weight**2), jnp.finfo(jnp.float64).tiny)


def random_level(dim: int, rank: int) -> float:
    """Energy outside a subspace of dimension `rank` for neurons in random directions."""
    return 1.0 - rank / dim


@double_inside
def orthonormal(basis: Float[Array, "d r"]) -> Float[Array, "d r"]:
    """An orthonormal basis of the span of independent columns."""
    return qr(basis.astype(jnp.float64))[0]


@double_inside
def principal_cosines(
    found: Float[Array, "d k"], basis: Float[Array, "d r"]
) -> Float[Array, "min(k,r)"]:
    """cos θ_i between two spans, largest first; the last is the worst-found direction."""
    cosines = singular_values(orthonormal(found).T @ orthonormal(basis))
    return jnp.clip(cosines, 0.0, 1.0)


@double_inside
def principal_angles(
    found: Float[Array, "d k"], basis: Float[Array, "d r"]
) -> Float[Array, "min(k,r)"]:
    """θ_i in radians, smallest first; accurate to rounding at both ends.

    Small angles are taken from sines (the singular values of (I − UUᵀ)V), large ones from cosines.
    """
    v, u = orthonormal(found), orthonormal(basis)
    small, large = (v, u) if v.shape[1] <= u.shape[1] else (u, v)
    cosines = jnp.clip(singular_values(large.T @ small), 0.0, 1.0)
    rest = small - large @ (large.T @ small)
    sines = jnp.clip(singular_values(rest)[::-1], 0.0, 1.0)
    return jnp.where(cosines**2 > 0.5, jnp.arcsin(sines), jnp.arccos(cosines))


@double_inside
def overlap(found: Float[Array, "d k"], basis: Float[Array, "d r"]) -> Float[Array, ""]:
    """Mean cos² of the principal angles: 1 if one span holds the other, about r/d at random."""
    return jnp.mean(principal_cosines(found, basis) ** 2)


@double_inside
def subspace_distance(found: Float[Array, "d k"], basis: Float[Array, "d r"]) -> Float[Array, ""]:
    """sin of the largest principal angle: the spectral norm of P_V − P_U for equal dimensions."""
    return jnp.sin(principal_angles(found, basis)[-1])


def random_overlap(
    dim: int, rank: int, found: int | None = None, probability: float | None = None
) -> float:
    """What `overlap` gives for a random span of `found` directions (as many as S* by default).

    Its mean is max(r, k)/d. With `probability`, that quantile: of the Beta law of one direction's
    squared projection if r or k is 1, else of a fixed number of random spans.
    """
    k = rank if found is None else found
    if not (1 <= rank <= dim and 1 <= k <= dim):
        raise InvalidInputError(
            f"Spans of {rank} and {k} directions do not exist in dimension {dim}."
        )
    if probability is None:
        return max(rank, k) / dim
    if max(rank, k) == dim:
        return 1.0
    if min(rank, k) == 1:
        return float(beta.ppf(probability, max(rank, k) / 2, (dim - max(rank, k)) / 2))
    return float(np.quantile(_random_overlaps(dim, rank, k), probability))


@lru_cache(maxsize=64)
def _random_overlaps(dim: int, rank: int, found: int) -> np.ndarray:
    generator = np.random.default_rng(0)
    draws = [generator.standard_normal((dim, found)) for _ in range(NULL_DRAWS)]
    spans = np.linalg.qr(np.stack(draws))[0]
    return np.sum(spans[:, :rank] ** 2, axis=(1, 2)) / min(rank, found)
