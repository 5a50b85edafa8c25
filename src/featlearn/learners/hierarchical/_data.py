"""Samples as Algorithm 1 takes them: one label for each point, in units of B = √mean y²."""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from featlearn.learners._split import Rows
from featlearn.samples import Sample


def as_sample(rows: Rows, dtype: Any) -> Sample:
    """Rows with weights 0 or 1 as a sample that counts the real ones."""
    y = _single(rows.y)
    count = rows.weight.sum().astype(jnp.int32)
    return Sample(rows.x.astype(dtype), y.astype(dtype), count)


def typed(sample: Sample, dtype: Any) -> Sample:
    """A batch in the type of the training, with labels in one row."""
    y = _single(sample.y)
    return Sample(sample.x.astype(dtype), y.astype(dtype))


def mean_of(values: Float[Array, "n *d"], sample: Sample) -> Float[Array, "*d"]:
    """Over the rows that exist."""
    rows = jnp.arange(sample.n) < _count(sample)
    shaped = rows.reshape(-1, *(1,) * (values.ndim - 1))
    return jnp.sum(jnp.where(shaped, values, 0), axis=0) / _count(sample).astype(values.dtype)


def scale_of(train: Sample) -> Float[Array, ""]:
    """B = √mean y²."""
    return jnp.maximum(jnp.sqrt(mean_of(train.y**2, train)), jnp.finfo(train.y.dtype).tiny)


def divided(sample: Sample, scale: Float[Array, ""]) -> Sample:
    """The sample with labels in units of B."""
    return Sample(sample.x, sample.y / scale, sample.count)


def _single(y: Array) -> Float[Array, "n"]:
    return y.reshape(y.shape[0])


def _count(sample: Sample) -> Int[Array, ""]:
    return jnp.asarray(sample.n if sample.count is None else sample.count)
