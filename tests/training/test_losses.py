"""Losses against their formulas, over the real rows only."""

import jax.numpy as jnp
import numpy as np

from featlearn.samples import Sample
from featlearn.training import cross_entropy, half_square, square

RNG = np.random.default_rng(0)
F, Y = RNG.normal(size=(7, 2)), RNG.normal(size=(7, 2))
X = np.zeros((7, 1))


def test_squares_are_summed_over_outputs_and_averaged_over_rows():
    batch = Sample(jnp.asarray(X), jnp.asarray(Y))
    expected = np.mean(np.sum((F - Y) ** 2, axis=1))
    np.testing.assert_allclose(square(jnp.asarray(F), batch), expected)
    np.testing.assert_allclose(half_square(jnp.asarray(F), batch), expected / 2)


def test_padded_rows_do_not_count():
    batch = Sample(jnp.asarray(X), jnp.asarray(Y[:, 0]), jnp.asarray(4))
    expected = np.mean((F[:4, 0] - Y[:4, 0]) ** 2)
    np.testing.assert_allclose(square(jnp.asarray(F[:, 0]), batch), expected)
    assert abs(np.mean((F[:, 0] - Y[:, 0]) ** 2) - expected) > 1e-3


def test_cross_entropy_is_that_of_the_logistic_model():
    y = (Y[:, 0] > 0).astype(float)
    probability = 1 / (1 + np.exp(-F[:, 0]))
    expected = -np.mean(y * np.log(probability) + (1 - y) * np.log(1 - probability))
    batch = Sample(jnp.asarray(X), jnp.asarray(y))
    np.testing.assert_allclose(cross_entropy(jnp.asarray(F[:, 0]), batch), expected, rtol=1e-6)
