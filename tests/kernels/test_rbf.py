"""The Gaussian kernel against its formula, its features and scikit-learn."""

import math

import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from featlearn.errors import InvalidInputError
from featlearn.kernels import RBF


def slow(x, y, bandwidth):
    def one(u, v):
        square = math.fsum((a - b) ** 2 for a, b in zip(u, v, strict=True))
        return math.exp(-square / (2 * bandwidth**2 * len(u)))

    return np.array([[one(u, v) for v in y] for u in x])


@pytest.mark.parametrize("bandwidth", [0.6, 1.0, 5.0])
def test_equals_its_formula(points, bandwidth):
    x, y = points
    kernel = RBF(bandwidth)(jnp.asarray(x), jnp.asarray(y))
    np.testing.assert_allclose(kernel, slow(x, y, bandwidth), rtol=1e-10)


def test_gamma_of_scikit_learn_is_as_the_docstring_says(points):
    x, y = points
    expected = rbf_kernel(x, y, gamma=1 / (2 * 0.7**2 * x.shape[1]))
    np.testing.assert_allclose(RBF(0.7)(jnp.asarray(x), jnp.asarray(y)), expected, rtol=1e-10)


def test_is_the_mean_of_random_fourier_features(points):
    x = points[0][:3]
    frequencies = np.random.default_rng(5).normal(size=(40_000, x.shape[1]))
    phases = np.cos((x[:, None] - x[None]) @ frequencies.T / np.sqrt(x.shape[1]))
    error = phases.std(-1) / np.sqrt(phases.shape[-1]) + 1e-15
    means = phases.mean(-1)
    assert np.all(np.abs(np.asarray(RBF(1.0)(jnp.asarray(x))) - means) <= 4 * error)
    assert not np.all(np.abs(np.asarray(RBF(1.1)(jnp.asarray(x))) - means) <= 4 * error)


def test_sees_differences_far_from_the_origin(points):
    """Norms 1e4 with distances of order 1: |x|² + |y|² − 2⟨x, y⟩ alone would lose 8 digits."""
    x, y = points
    kernel = RBF(1.0)(jnp.asarray(x + 1e4), jnp.asarray(y + 1e4))
    np.testing.assert_allclose(kernel, slow(x, y, 1.0), rtol=1e-10)


@pytest.mark.parametrize("bandwidth", [0, 0.0, -1.0, float("inf"), float("nan"), np.float32(0)])
def test_refuses_a_bandwidth_that_is_none(bandwidth):
    with pytest.raises(InvalidInputError, match="bandwidth must be positive and finite"):
        RBF(bandwidth)
