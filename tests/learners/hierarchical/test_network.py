"""The network equals its definition by loops, and the planted weights equal the target."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from featlearn.learners.hierarchical._network import layer_sums, levels, predict, projections
from featlearn.testing import slow_hierarchical


def by_loops(p, x, cut=np.inf):
    R = [np.asarray(r) for r in projections(p.frozen, p.widths)]
    W, K = ([np.asarray(m) for m in part] for part in p.weights)
    alphas, graph = np.asarray(p.frozen.alphas), p.form.graph
    return slow_hierarchical(W, K, R, alphas, graph, np.asarray(x), cut=cut)


def ours(p, x, *, truncated=False, cut=np.inf):
    frozen = eqx.tree_at(lambda f: f.cut, p.frozen, jnp.asarray(cut))
    return predict(p.weights, frozen, p.widths, p.form.graph, x, truncated=truncated)


def test_equals_the_definition_by_loops(scrambled, points):
    x = points.x[:6]
    np.testing.assert_allclose(ours(scrambled, x), by_loops(scrambled, x).output, rtol=1e-10)
    found = levels(
        scrambled.weights, scrambled.frozen, scrambled.widths, scrambled.form.graph, x,
        truncated=False,
    )  # fmt: skip
    for S, slow in zip(found.S, by_loops(scrambled, x).features, strict=True):
        np.testing.assert_allclose(S, slow, rtol=1e-9, atol=1e-10)


def test_only_the_inner_activation_is_truncated(scrambled, points):
    x = 3 * points.x[:6]
    low = ours(scrambled, x, truncated=True, cut=0.4)
    np.testing.assert_allclose(low, by_loops(scrambled, x, cut=0.4).output, rtol=1e-10)
    assert np.max(np.abs(low / ours(scrambled, x) - 1)) > 0.1
    np.testing.assert_allclose(
        ours(scrambled, x, truncated=False, cut=0.4), ours(scrambled, x), rtol=1e-14
    )


def test_planted_weights_are_the_target(planted, points):
    np.testing.assert_allclose(ours(planted, points.x), points.y, rtol=1e-10)


def test_layers_add_up_and_rows_beyond_the_width_do_nothing(planted, points):
    found = levels(
        planted.weights, planted.frozen, planted.widths, planted.form.graph, points.x,
        truncated=False,
    )  # fmt: skip
    sums = layer_sums(planted.weights.W, found.Q)
    np.testing.assert_allclose(sums @ planted.frozen.alphas, points.y, rtol=1e-10)
    assert np.all(np.asarray(found.S[2][:, 2:]) == 0)
    assert np.all(np.asarray(found.Q[1][:, 4 + 3 :]) == 0)
