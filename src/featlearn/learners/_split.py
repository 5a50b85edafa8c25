"""Training and validation rows of a sample: the last fifth validates."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.learners._protocol import VALIDATION_FRACTION
from featlearn.samples import Sample

ROWS_PER_VALIDATION_ROW = round(1 / VALIDATION_FRACTION)


class Rows(NamedTuple):
    """Inputs, labels in columns, and weights 0 or 1: a row of weight 0 does not exist."""

    x: Float[Array, "n d"]
    y: Float[Array, "n k"]
    weight: Float[Array, "n"]

    @property
    def number(self) -> Float[Array, ""]:
        """How many rows exist, and at least 1, to divide by."""
        return jnp.maximum(self.weight.sum(), 1.0)


class Split(NamedTuple):
    train: Rows
    validate: Rows


def split_rows(sample: Sample) -> Split:
    """Training rows and validation rows, x in float32 and labels (n, k) in float64.

    In a padded sample the validation rows start where its own training rows end, so each side
    has the length of the longest sample and carries weights.
    """
    longest = sample.n // ROWS_PER_VALIDATION_ROW
    weights = split_weights(sample)
    start = _training_rows(sample)

    def part(a: Array, length: int, first: Array | int) -> Array:
        return jax.lax.dynamic_slice_in_dim(a, first, length)

    x, y = sample.x.astype(jnp.float32), columns(sample.y).astype(jnp.float64)
    train = (part(a, sample.n - longest, 0) for a in (x, y, weights[0]))
    validate = (part(a, longest, start) for a in (x, y, weights[1]))
    return Split(Rows(*train), Rows(*validate))


def split_weights(sample: Sample) -> tuple[Float[Array, "n"], Float[Array, "n"]]:
    """Weights 0 or 1 of the training rows and of the validation rows.

    Of n real rows the first n − ⌊n/5⌋ train and the rest validate; padding does neither.
    """
    rows = jnp.arange(sample.n)
    n = sample.n if sample.count is None else sample.count
    train = rows < _training_rows(sample)
    validate = (rows < n) & ~train
    return train.astype(jnp.float32), validate.astype(jnp.float32)


def columns(y: Float[Array, "n *k"]) -> Float[Array, "n k"]:
    """Labels as columns, one for each output."""
    return y[:, None] if y.ndim == 1 else y


def _training_rows(sample: Sample) -> Array | int:
    n = sample.n if sample.count is None else sample.count
    return n - n // ROWS_PER_VALIDATION_ROW
