"""How many directions the neurons found, and which.

The neurons' second moment WᵀW/m has one large eigenvalue for each direction found. How large is
noise? The same step on permuted labels finds nothing, and its spectrum is the level to beat
(parallel analysis). Labels that have structure raise the noise too: by fourth moments, and by
the part of E ∇_W L that lies along each random w_j. Their bulk shows by how much.
"""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.decompositions import eigh, eigvalsh
from featlearn.errors import InvalidInputError
from featlearn.precision import double_inside

LEAST_MARGIN = 1.25
EDGE = (
    2.5  # of two largest eigenvalues of noise one exceeds the other by 1 + 2.5 d^{-2/3}: 1 in 100
)


def spectrum(weight: Float[Array, "m d"]) -> Float[Array, "d"]:
    """Singular values of W over √m, largest first: their squares sum to the mean squared norm."""
    weight = weight.astype(jnp.float64)
    values = eigvalsh(weight.T @ weight / weight.shape[0])
    return jnp.sqrt(jnp.maximum(values[::-1], 0.0))


def rank_above(values: Array, null: Array) -> Array:
    """How many singular values stand out of those that permuted labels give.

    The null spectrum is lifted until its median meets that of `values`, so it takes that fewer
    than half of the dimensions carry a direction. Its largest value fluctuates like d^{-2/3}.
    """
    dim = values.shape[0]
    middle = dim // 2
    lift = jnp.maximum(values[middle] / jnp.maximum(null[middle], jnp.finfo(null.dtype).tiny), 1.0)
    margin = max(LEAST_MARGIN, 1 + EDGE * dim ** (-2 / 3))
    return jnp.sum(values > margin * lift * null[0])


def found_rank(record: dict[str, Any]) -> int:
    """The number of directions as a fit recorded it."""
    if "rank" not in record:
        raise InvalidInputError(
            "The number of directions was not estimated in this fit: "
            "fit with estimate_rank=True, or give directions(rank)."
        )
    return int(record["rank"])


@double_inside
def strongest(weight: Float[Array, "m d"], rank: int) -> Float[Array, "d r"]:
    """Right singular vectors of W with the largest singular values."""
    dim = weight.shape[1]
    if isinstance(rank, bool) or not isinstance(rank, int | np.integer) or not 0 <= rank <= dim:
        raise InvalidInputError(
            f"rank must be a whole number between 0 and the dimension {dim}, got {rank}."
        )
    weight = weight.astype(jnp.float64)
    return eigh(weight.T @ weight)[1][:, ::-1][:, :rank]
