"""What every `fit` does around the pure part: check the sample, compile, use 64-bit types."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.learners._protocol import Learner
from featlearn.precision import double_precision
from featlearn.samples import Sample, check_sample


def fit_checked(learner: Learner, sample: Sample, key: Key[Array, ""]) -> Any:
    """`learner.fit_arrays` as one compiled program, on a sample that a learner can work with."""
    check_sample(sample)
    return _fit(learner, as_arrays(sample), key)


@double_precision
@eqx.filter_jit
def _fit(learner: Learner, sample: Sample, key: Key[Array, ""]) -> Any:
    return learner.fit_arrays(sample, key)


def as_arrays(sample: Sample) -> Sample:
    """The sample with arrays of JAX in the place of arrays of NumPy."""
    return jax.tree.map(jnp.asarray, sample)


def like_inputs(x: Any, dim: int, dtype: Any) -> Float[Array, "n d"]:
    """New points, refused unless they have the columns of the points that were fitted."""
    x = jnp.asarray(x)
    if x.ndim != 2 or x.shape[1] != dim:
        raise InvalidInputError(
            f"x must have shape (n, {dim}) like the points of the fit, got {x.shape}."
        )
    return x.astype(dtype)


def check_level(level: int, highest: int = 1) -> None:
    """Refuse a level of features that the model does not have."""
    if not 0 <= level <= highest:
        raise InvalidInputError(f"This model has features at levels 0…{highest}, got {level}.")
