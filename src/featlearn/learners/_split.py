"""Training and validation rows of a sample: the last fifth validates."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.learners._protocol import VALIDATION_FRACTION
from featlearn.samples import Sample


def split_weights(sample: Sample) -> tuple[Float[Array, "n"], Float[Array, "n"]]:
    """Weights 0 or 1 of the training rows and of the validation rows.

    Of n real rows the first n − ⌊n/5⌋ train and the rest validate; padding does neither.
    """
    rows = jnp.arange(sample.n)
    n = sample.n if sample.count is None else sample.count
    held_out = jnp.floor(jnp.asarray(n) * VALIDATION_FRACTION).astype(rows.dtype)
    train = rows < n - held_out
    validate = (rows >= n - held_out) & (rows < n)
    return train.astype(jnp.float32), validate.astype(jnp.float32)
