"""What every fit does around the pure part."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.learners._fitting import as_arrays, check_level, fit_checked, like_inputs
from featlearn.samples import Sample


class Recorder:
    """Says with which types it was called."""

    def fit_arrays(self, sample, key):
        return {"x": sample.x, "double": jnp.zeros(1, jnp.float64)}


def test_fits_with_64_bit_types_in_a_32_bit_session(key):
    x = np.random.default_rng(0).normal(size=(12, 2)).astype(np.float32)
    jax.config.update("jax_enable_x64", False)
    try:
        out = fit_checked(Recorder(), Sample(x, x[:, 0]), key)
    finally:
        jax.config.update("jax_enable_x64", True)
    assert out["double"].dtype == np.float64
    np.testing.assert_array_equal(out["x"], x)


def test_refuses_samples_before_it_fits(key):
    with pytest.raises(InvalidInputError, match="too few"):
        fit_checked(None, Sample(np.ones((3, 2)), np.arange(3.0)), key)


def test_arrays_of_numpy_become_arrays_of_jax():
    sample = as_arrays(Sample(np.ones((3, 2)), np.ones(3)))
    assert isinstance(sample.x, jax.Array)
    assert sample.count is None


def test_points_need_the_columns_of_the_fit():
    assert like_inputs([[1, 2]], 2, jnp.float32).dtype == np.float32
    with pytest.raises(InvalidInputError, match=r"\(n, 2\).*got \(2,\)"):
        like_inputs([1, 2], 2, jnp.float32)


def test_levels_end_where_the_model_does():
    check_level(0)
    check_level(3, highest=3)
    for level in (-1, 2):
        with pytest.raises(InvalidInputError, match=f"0…1, got {level}"):
            check_level(level)
