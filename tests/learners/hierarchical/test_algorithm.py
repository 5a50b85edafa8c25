"""One look at the rules unlocks, starts, halves and stops as Algorithm 1 says."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

from featlearn.learners.hierarchical._algorithm import (
    Phase,
    Rules,
    check,
    first_phase,
    multipliers,
    objective,
    penalties,
)
from featlearn.learners.hierarchical._network import predict

RULES = Rules(
    up=jnp.asarray([np.inf, 0.3]),
    down=jnp.asarray([0.4, 0.01]),
    rank=jnp.asarray(0.1),
    error=jnp.asarray(0.1),
    distil=jnp.asarray([0.3, 0.2, 0.1]),
    decay=jnp.asarray(0.05),
    rates=jnp.asarray([1.0, 3.0]),
    anneal=jnp.asarray(0.5),
    below=jnp.asarray(1.0),
)
DOUBLE = np.dtype(np.float64)


def phase(unlocked=(False, False), started=(False, False), widths=(0, 0), error=1.0, done=False):
    return Phase(
        *(jnp.asarray(a) for a in (unlocked, started)),
        jnp.asarray(widths, jnp.int32),
        jnp.asarray(error),
        jnp.asarray(done),
    )


@pytest.fixture(scope="module")
def unit(planted, points):
    """The planted problem in units in which B = 1."""
    scale = jnp.sqrt(jnp.mean(points.y**2))
    frozen = eqx.tree_at(lambda f: f.alphas, planted.frozen, planted.frozen.alphas / scale)
    return frozen, eqx.tree_at(lambda s: s.y, points, points.y / scale)


@pytest.fixture(scope="module")
def look(planted, unit):
    """weights, phase -> what a look at the rules finds."""
    frozen, meter = unit
    compiled = jax.jit(lambda weights, phase, rules: check(
        weights, frozen, rules, phase, planted.form, meter))  # fmt: skip
    return lambda weights, phase, rules=RULES: compiled(weights, phase, rules)


def test_at_the_start_the_objective_is_one_and_only_layer_2_is_unlocked(planted, look):
    found = look(planted.form.zeros(DOUBLE), first_phase(2, DOUBLE))
    np.testing.assert_allclose(found.objective, 1)
    assert found.phase.unlocked.tolist() == [True, False]
    assert found.phase.started.tolist() == [False, False]
    assert float(found.phase.error) == 1


def test_k_starts_under_its_threshold_with_the_width_that_w_has(planted, look):
    """With W_2 alone learned the objective is what layer 3 brings: between 0.01 and 0.3."""
    zeros = planted.form.zeros(DOUBLE)
    learned = zeros._replace(W=(planted.weights.W[0], zeros.W[1]))
    found = look(learned, phase(unlocked=(True, False)))
    assert 0.01 < float(found.objective) < 0.3
    assert found.phase.unlocked.tolist() == [True, True]
    assert found.phase.started.tolist() == [True, False]
    assert found.phase.widths.tolist() == [2, 0]
    W, K = np.asarray(learned.W[0]), np.asarray(found.weights.K[0])
    np.testing.assert_allclose(K[:, 4:].T @ K[:, :4], W[:, 4:].T @ W[:, :4], atol=1e-10)
    again = look(found.weights._replace(K=(2 * found.weights.K[0], zeros.K[1])), found.phase)
    np.testing.assert_allclose(again.weights.K[0], 2 * K)  # it starts once


def test_the_error_level_halves_under_a_quarter_of_its_square_and_ends_under_epsilon(planted, look):
    everything = phase((True, True), (True, True), (2, 2), error=0.4)
    weights = planted.weights
    decay = 0.05 * sum(float(jnp.sum(w**2)) for w in jax.tree.leaves(weights))
    found = look(weights, everything)
    np.testing.assert_allclose(found.objective, decay * 0.4**2, rtol=1e-9)
    assert decay > 1 / 4  # the weight decay alone stays above the level
    assert float(found.phase.error) == 0.4
    light = eqx.tree_at(lambda r: r.decay, RULES, jnp.asarray(1e-4))
    halved = look(weights, everything, light)
    assert float(halved.phase.error) == 0.2
    assert not bool(halved.phase.done)
    ended = look(weights, everything._replace(error=jnp.asarray(0.15)), light)
    assert bool(ended.phase.done)
    rates = jax.tree.leaves(multipliers(light, ended.phase))
    assert [float(r) for r in rates] == [0, 0, 0, 0]


def test_penalties_wait_for_their_layer(unit):
    frozen, _ = unit
    found = penalties(RULES, frozen, phase((True, True), (True, False), error=0.5))
    alpha = float(frozen.alphas[0])
    np.testing.assert_allclose(found.cross, [0.3 * alpha**2, 0])
    np.testing.assert_allclose(found.below, [0.2 * alpha**2, 0])
    np.testing.assert_allclose(found.whole, [0.1 * alpha**2, 0])
    np.testing.assert_allclose(found.decay, [0.05 * 0.25] * 2)


def test_lower_layers_keep_their_step_size_unless_told_not_to():
    now = phase((True, True), (True, False), error=0.25)
    W, K = multipliers(RULES, now)
    np.testing.assert_allclose(W, [0.5, 1.5])
    np.testing.assert_allclose(K, [0.5, 0])
    frozen_below = eqx.tree_at(lambda r: r.below, RULES, jnp.asarray(0.0))
    np.testing.assert_allclose(multipliers(frozen_below, now).W, [0, 1.5])


def test_gradients_of_the_objective_are_its_differences(planted, scrambled, unit):
    frozen, meter = unit
    frozen = eqx.tree_at(lambda f: f.cut, frozen, jnp.asarray(0.7))
    now = phase((True, True), (True, True), (2, 2), error=0.5)

    def of(weights):
        return objective(weights, frozen, RULES, now, planted.form, meter)

    check_grads(jax.jit(of), (scrambled.weights,), order=1, modes=["rev"], atol=1e-5, rtol=1e-5)


def test_the_planted_network_has_no_loss_and_a_wrong_one_has(planted, scrambled, unit):
    frozen, meter = unit
    free = eqx.tree_at(lambda r: r.decay, RULES, jnp.asarray(0.0))
    now = phase((True, True), (True, True), (2, 2))
    assert float(objective(planted.weights, frozen, free, now, planted.form, meter)) < 1e-20
    assert float(objective(scrambled.weights, frozen, free, now, planted.form, meter)) > 1e-2
    F = predict(
        planted.weights, frozen, planted.widths, planted.form.graph, meter.x, truncated=True
    )
    np.testing.assert_allclose(F, meter.y, rtol=1e-9)
