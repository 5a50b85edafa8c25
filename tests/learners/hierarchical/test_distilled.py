"""M = RK is a quadratic network, and the same function as the features' squares."""

import jax.numpy as jnp
import numpy as np

from featlearn.learners.hierarchical._distilled import distilled, identity_readout
from featlearn.learners.hierarchical._network import levels


def features(p, x):
    S = levels(p.weights, p.frozen, p.widths, p.form.graph, x, truncated=False).S
    sums = jnp.stack([jnp.sum(s**2, axis=1) for s in S[2:]], axis=1)
    return sums @ p.frozen.alphas


def test_equals_the_squares_of_the_features(scrambled, points):
    network = distilled(scrambled.weights, scrambled.frozen, np.asarray([2, 2]), scrambled.form)
    assert network.widths == (3, 3)
    np.testing.assert_allclose(network(points.x), features(scrambled, points.x), rtol=1e-8)


def test_equals_the_target_where_k_does(planted, points):
    network = distilled(planted.weights, planted.frozen, np.asarray([2, 2]), planted.form)
    np.testing.assert_allclose(network(points.x), points.y, rtol=1e-8)


def test_a_readout_of_ones_is_right_only_for_an_isometry(scrambled, points):
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    np.testing.assert_allclose(identity_readout(rotation[:, :1]) @ rotation[:, :1] ** 2, 1)
    frame = np.asarray([[1.0, 0], [-0.5, np.sqrt(3) / 2], [-0.5, -np.sqrt(3) / 2]])
    frame *= np.sqrt(2 / 3)  # RᵀR = I
    np.testing.assert_allclose(identity_readout(frame), 1, rtol=1e-12)
    network = distilled(scrambled.weights, scrambled.frozen, np.asarray([2, 2]), scrambled.form)
    ones = tuple(jnp.full(u.size, a) for u, a in zip(network.readout, (1, 0.03), strict=True))
    wrong = network.__class__(network.M, ones, network.mean_square, network.graph)
    assert np.max(np.abs(wrong(points.x) / features(scrambled, points.x) - 1)) > 0.05


def test_a_layer_that_never_started_has_no_neurons(scrambled, points):
    network = distilled(scrambled.weights, scrambled.frozen, np.asarray([2, 0]), scrambled.form)
    assert network.widths == (3, 0)
    assert np.all(np.isfinite(network(points.x)))
