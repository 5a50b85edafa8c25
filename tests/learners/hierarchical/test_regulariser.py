"""The four terms as printed, their gradients in closed form, and 0 where K distils W."""

import jax
import jax.numpy as jnp
import numpy as np

from featlearn.learners.hierarchical._regulariser import Penalties, layer_terms, regulariser

RNG = np.random.default_rng(0)
W, K = RNG.normal(size=(6, 7)), RNG.normal(size=(2, 7))
LAST = 3


def printed(W, K, last):
    """λ3…λ6's terms from the blocks that the document names."""
    q = W.shape[1] - last
    W_below, W_other, K_below, K_other = W[:, q:], W[:, :q], K[:, q:], K[:, :q]
    return [
        np.sum((K_below.T @ K_other - W_below.T @ W_other) ** 2),
        np.sum((K_below.T @ K_below - W_below.T @ W_below) ** 2),
        np.sum((K.T @ K - W.T @ W) ** 2),
        np.sum(K**2) + np.sum(W**2),
    ]


def test_terms_are_the_printed_ones():
    np.testing.assert_allclose(layer_terms(jnp.asarray(W), jnp.asarray(K), LAST), printed(W, K, 3))
    none = layer_terms(jnp.asarray(W), jnp.asarray(K), 0)
    np.testing.assert_allclose(none[:2], 0)


def test_gradients_of_the_whole_block_are_the_closed_ones():
    pull_W, pull_K = jax.grad(lambda W, K: layer_terms(W, K, LAST)[2], (0, 1))(
        jnp.asarray(W), jnp.asarray(K)
    )
    D = K.T @ K - W.T @ W
    np.testing.assert_allclose(pull_K, 4 * K @ D, rtol=1e-10)
    np.testing.assert_allclose(pull_W, -4 * W @ D, rtol=1e-10)


def test_the_sum_runs_over_layers_with_penalties_of_their_own(planted, scrambled):
    rows = Penalties(*jnp.asarray(RNG.uniform(0.5, 2, size=(4, 2))))
    total = regulariser(scrambled.weights, rows, scrambled.form)
    slow = sum(
        float(np.dot([row[i] for row in rows], printed(np.asarray(w), np.asarray(k), last)))
        for i, (w, k, last) in enumerate(zip(*scrambled.weights, (4, 6), strict=True))
    )
    np.testing.assert_allclose(total, slow, rtol=1e-12)
    only_decay = rows._replace(cross=0 * rows.cross, below=0 * rows.below, whole=0 * rows.whole)
    np.testing.assert_allclose(
        regulariser(planted.weights, rows, planted.form),
        regulariser(planted.weights, only_decay, planted.form),
        rtol=1e-12,
    )
