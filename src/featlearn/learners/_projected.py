"""Find r directions first, then fit random neurons of these directions with a ridge head.

    v_1 … v_r  found from the training rows;   neurons σ(B Vᵀx + b),  B ~ N(0, I/r),  b ~ N(0, 1)

The constant and linear parts and the head are those of `OneStep`, so that only the way in which
the directions are found differs.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.decompositions import eigh, qr
from featlearn.errors import InvalidInputError
from featlearn.learners._head import HeadRule
from featlearn.learners._linear_part import linear_part, split_without
from featlearn.learners._network import NetworkFit, hidden_layer
from featlearn.learners._split import Rows, split_rows
from featlearn.samples import Sample

Matrix = Callable[[Float[Array, "n d"], Float[Array, "n"], Float[Array, "n"]], Float[Array, "d d"]]


def fit_projected(
    matrix: Matrix,
    sample: Sample,
    key: Key[Array, ""],
    *,
    width: int,
    rank: int,
    whiten: bool,
    rule: HeadRule,
) -> NetworkFit:
    """`matrix(x, y, weight)` is symmetric; its eigenvectors of largest |value| are the directions.

    With `whiten`, x is standardised by its sample mean and covariance first, and the directions
    are taken back to the coordinates of x.
    """
    if sample.y.ndim > 1 and sample.y.shape[1] > 1:
        raise InvalidInputError(
            f"This method finds directions for one output, got {sample.y.shape[1]}: "
            "fit each output on its own."
        )
    raw = split_rows(sample)
    parts = linear_part(raw.train)
    split = split_without(raw, parts)
    v, values = found_directions(matrix, split.train, rank, whiten)
    key_b, key_w = jax.random.split(key)
    drawn = jax.random.normal(key_w, (width, rank), jnp.float32) / np.float32(np.sqrt(rank))
    weight = jnp.matmul(drawn, v.T.astype(jnp.float32), precision="highest")
    bias = jax.random.normal(key_b, (width,), jnp.float32)

    def hidden(x: Array) -> Array:
        return hidden_layer(x, weight, bias)

    head, record = rule.fit(hidden, split, jnp.zeros((width, 1)))
    constant, linear = parts
    return NetworkFit(
        constant=constant,
        linear=linear,
        weight=weight,
        bias=bias,
        head=head,
        record=record | {"spectrum": values, "rank": jnp.asarray(rank)},
        rule=rule,
        flat=sample.y.ndim == 1,
    )


def found_directions(
    matrix: Matrix, rows: Rows, rank: int, whiten: bool
) -> tuple[Float[Array, "d r"], Float[Array, "d"]]:
    """Orthonormal directions, strongest first, and every |eigenvalue|."""
    if not 1 <= rank <= rows.x.shape[1]:
        raise InvalidInputError(
            f"rank must lie between 1 and the dimension {rows.x.shape[1]}, got {rank}."
        )
    x, weight = rows.x.astype(jnp.float64), rows.weight.astype(jnp.float64)
    back = jnp.eye(x.shape[1])
    if whiten:
        x, back = whitened(x, weight)
    values, vectors = eigh(matrix(x, rows.y[:, 0], weight))
    order = jnp.argsort(-jnp.abs(values))
    found = qr(back @ vectors[:, order[:rank]])[0]
    return found, jnp.abs(values)[order]


def whitened(
    x: Float[Array, "n d"], weight: Float[Array, "n"]
) -> tuple[Float[Array, "n d"], Float[Array, "d d"]]:
    """Σ^{-½}(x − mean) and Σ^{-½}; directions that the rows do not vary in are left out."""
    n = jnp.maximum(weight.sum(), 1.0)
    centred = x - (weight @ x) / n
    values, vectors = eigh((centred * weight[:, None]).T @ centred / n)
    seen = values > 1e-10 * values[-1]
    root = jnp.where(seen, 1 / jnp.sqrt(jnp.where(seen, values, 1.0)), 0.0)
    back = (vectors * root) @ vectors.T
    return centred @ back, back


def slice_of(y: Float[Array, "n"], weight: Float[Array, "n"], slices: int) -> Float[Array, "n s"]:
    """Which of `slices` slices of equal size, ordered by y, each row is in; 0 for no row."""
    place = jnp.argsort(jnp.argsort(jnp.where(weight > 0, y, jnp.inf)))
    count = jnp.maximum(weight.sum(), 1.0)
    which = jnp.floor(place * slices / count).astype(jnp.int32)
    return jax.nn.one_hot(which, slices, dtype=jnp.float64) * weight[:, None]


def check_slices(slices: Any) -> None:
    """Refuse a number of slices that cannot tell labels apart."""
    if isinstance(slices, bool) or not isinstance(slices, int | np.integer) or slices < 2:
        raise InvalidInputError(f"slices must be a whole number of at least 2, got {slices}.")


def check_rank(rank: Any) -> None:
    """Refuse a number of directions that is none."""
    if isinstance(rank, bool) or not isinstance(rank, int | np.integer) or rank < 1:
        raise InvalidInputError(f"rank must be a whole number of at least 1, got {rank}.")
