"""The low-rank part of a Gram matrix against its eigendecomposition."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.kernels import RBF, Polynomial, _pivoted
from featlearn.kernels._pivoted import low_rank

find = jax.jit(low_rank, static_argnums=3)
N = 90


@pytest.fixture(scope="module")
def points():
    """Two clusters of unequal size."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, 3))
    x[:6] += 20
    return jnp.asarray(x)


@pytest.fixture(autouse=True)
def _narrow(monkeypatch):
    monkeypatch.setattr(_pivoted, "BLOCK", 10)


def parts(low):
    values, vectors = np.asarray(low.values), np.asarray(low.vectors)
    return values, vectors, (vectors * values) @ vectors.T


def test_it_is_below_the_matrix_and_says_what_is_left(points, key):
    gram = np.asarray(RBF(1.0)(points)) / N
    low = find(RBF(1.0), points, jnp.ones(N), 40, key)
    values, vectors, part = parts(low)
    assert np.linalg.eigvalsh(gram - part)[0] > -1e-12
    np.testing.assert_allclose(np.trace(gram - part), low.left, rtol=1e-8)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(40), atol=1e-8)
    assert np.all(np.diff(values) <= 0)
    assert low.left < 8 * np.linalg.eigvalsh(gram)[:-40].sum()
    assert float(low.norm()) >= np.linalg.eigvalsh(gram)[-1]


def test_random_pivots_find_a_small_cluster(points, key):
    """Ten uniform rows of ninety miss six with probability one half."""
    for seed in range(5):
        low = find(RBF(1.0), points, jnp.ones(N), 20, jax.random.key(seed))
        assert np.linalg.norm(parts(low)[1][:6], axis=1).min() > 0.1


def test_a_matrix_of_low_rank_is_found_whole(points, key):
    kernel = Polynomial(1, offset=1.0)
    low = find(kernel, points, jnp.ones(N), 30, key)
    values, vectors, part = parts(low)
    np.testing.assert_allclose(part, np.asarray(kernel(points)) / N, atol=1e-10)
    assert (values > 0).sum() == 4
    assert not vectors[:, 4:].any()
    assert abs(float(low.left)) < 1e-10


@pytest.mark.parametrize("shift", [1e-6, 0.1])
def test_the_preconditioner_is_the_inverse_it_says(points, key, shift):
    low = find(RBF(1.0), points, jnp.ones(N), 40, key)
    values, vectors, part = parts(low)
    wanted = part + shift * np.eye(N) + values[-1] * (np.eye(N) - vectors @ vectors.T)
    b = np.random.default_rng(1).normal(size=(N, 2))
    found = low.precondition(jnp.asarray(b), jnp.full(2, shift))
    np.testing.assert_allclose(wanted @ found, b, atol=1e-6)


def test_rows_of_weight_zero_do_not_exist(points, key):
    kept = 70
    spoiled = points.at[kept:].set(1e3)
    low = find(RBF(1.0), spoiled, (jnp.arange(N) < kept).astype(jnp.float64), 70, key)
    _, vectors, part = parts(low)
    gram = np.asarray(RBF(1.0)(points[:kept])) / kept
    np.testing.assert_allclose(part[:kept, :kept], gram, atol=1e-8)
    assert not vectors[kept:].any()


@pytest.fixture
def key():
    return jax.random.key(1)
