"""K starts as the best factors of what W holds, and the width is read from the spectrum."""

import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.learners.hierarchical._start import start

RNG = np.random.default_rng(3)
LAST, OTHER, K_TRUE = 5, 4, 2


def low_rank(noise, rank=K_TRUE):
    rows = np.concatenate(
        [np.linalg.qr(RNG.normal(size=(q, rank)))[0].T for q in (OTHER, LAST)], axis=1
    )
    spread = np.linalg.qr(RNG.normal(size=(12, rank)))[0]
    return jnp.asarray(spread @ rows + noise * RNG.normal(size=(12, OTHER + LAST))), rows


@pytest.mark.parametrize("most", [3, 8])
def test_finds_the_width_and_factors_the_cross_block(most):
    W, rows = low_rank(1e-3)
    found = start(W, LAST, 0.1, most)
    assert int(found.width) == K_TRUE
    assert found.K.shape == (most, OTHER + LAST)
    assert np.all(np.asarray(found.K[K_TRUE:]) == 0)
    cross = np.asarray(W)[:, OTHER:].T @ np.asarray(W)[:, :OTHER]
    K = np.asarray(found.K)
    np.testing.assert_allclose(K[:, OTHER:].T @ K[:, :OTHER], cross, atol=5e-3)
    rotation = K[:2] @ rows.T / 2
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(2), atol=5e-3)


def test_is_the_best_approximation_of_its_rank():
    W, _ = low_rank(0.3)
    found = start(W, LAST, 0.3, 4)
    k = int(found.width)
    assert 0 < k < 4
    cross = np.asarray(W)[:, OTHER:].T @ np.asarray(W)[:, :OTHER]
    values = np.linalg.svd(cross, compute_uv=False)
    K = np.asarray(found.K)
    left = np.sum((K[:, OTHER:].T @ K[:, :OTHER] - cross) ** 2)
    np.testing.assert_allclose(left, np.sum(values[k:] ** 2), rtol=1e-9)
    np.testing.assert_allclose(found.values[:4], values[:4], rtol=1e-9)
    assert k == np.sum(values > 0.3 * values[0])


@pytest.mark.parametrize("last", [0, OTHER + LAST])
def test_a_layer_of_one_level_starts_from_the_eigenpairs_of_its_gram_matrix(last):
    W, _ = low_rank(1e-3)
    found = start(W, last, 0.1, 6)
    assert int(found.width) == K_TRUE
    K = np.asarray(found.K)
    np.testing.assert_allclose(K.T @ K, np.asarray(W).T @ np.asarray(W), atol=1e-2)


def test_a_threshold_that_is_too_low_takes_noise_for_features():
    W, _ = low_rank(0.05)
    assert int(start(W, LAST, 1e-6, 4).width) == 4


def test_nothing_learned_is_width_nought():
    assert int(start(jnp.zeros((6, 9)), LAST, 0.1, 4).width) == 0
