"""Structured noise has the covariance of the document, and refuses what is none."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.learners import StructuredNoise

KEY = jax.random.key(1)
H = jnp.asarray(np.random.default_rng(0).normal(size=(6, 3)), jnp.float32)
X = jnp.asarray(np.random.default_rng(1).normal(size=(6, 2)), jnp.float32)
MANY = 20_000
LIKE = {"V": jnp.zeros((MANY, 3), jnp.float32), "W": jnp.zeros((MANY, 3), jnp.float32)}


def covariance_within(rows, wanted):
    rows = np.asarray(rows, np.float64)
    products = rows[:, :, None] * rows[:, None, :]
    error = products.std(axis=0) / len(rows) ** 0.5
    return np.abs(products.mean(axis=0) - wanted) < 4.5 * error


def test_rows_have_the_covariance_of_what_they_see():
    drawn = StructuredNoise()(KEY, H, X, LIKE)
    seen = np.hstack([X, np.ones((6, 1))])
    assert covariance_within(drawn["V"], np.asarray(H.T @ H) / 6).all()
    assert covariance_within(drawn["W"], seen.T @ seen / 6).all()
    # the wrong variant, noise without structure, is told apart
    assert not covariance_within(drawn["V"], np.eye(3)).all()


def test_a_given_covariance():
    c = np.array([[1.0, 0.5, 0], [0.5, 1.0, 0], [0, 0, 0]])
    drawn = StructuredNoise(2.0, covariance=c)(KEY, H, X, LIKE)
    assert covariance_within(drawn["W"][:, :2], 4 * c[:2, :2]).all()
    assert not drawn["W"][:, 2].any()


def test_parts_without_noise_stay_zero():
    drawn = StructuredNoise()(KEY, H, X, {"A": jnp.ones(2), "V": LIKE["V"][:5]})
    assert set(drawn) == {"A", "V"}
    assert not drawn["A"].any()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: StructuredNoise(covariance=-np.eye(2)), r"least eigenvalue is -1"),
        (lambda: StructuredNoise(covariance=[[1.0, 0.5], [0.0, 1.0]]), "must be symmetric"),
        (lambda: StructuredNoise(covariance=np.ones(3)), r"square matrix .* \(3,\)"),
        (lambda: StructuredNoise(covariance=[[np.nan]]), "finite numbers"),
        (lambda: StructuredNoise(-1.0), "at least 0, got -1"),
    ],
)
def test_bad_input_is_refused(build, message):
    with pytest.raises(InvalidInputError, match=message):
        build()
