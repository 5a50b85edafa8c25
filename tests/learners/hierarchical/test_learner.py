"""`Hierarchical` trains by Algorithm 1, on samples and streams, alone and in fleets."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.fleet import fit_many, fit_stream_many
from featlearn.learners import Learner, StreamLearner
from featlearn.learners.hierarchical import Hierarchical, thresholds
from featlearn.samples import Sample
from featlearn.testing import check_learner
from featlearn.training import Optimiser

ADAM = Optimiser("adam", rate=0.02, epsilon=1e-12, clip=1.0)
SMALL = Hierarchical(
    (1.0,), neurons=6, most=2, steps=600, every=25, batch=32, optimiser=ADAM,
    down=(0.01,), mean_square=1.0, candidates=4, anneal=0.5,
)  # fmt: skip


class Stream(eqx.Module):
    """(⟨a, x⟩ + ⟨b, x² − 1⟩)² at uniform points."""

    a: jax.Array
    b: jax.Array

    def batch(self, key, step, n):
        x = jax.random.uniform(
            jax.random.fold_in(key, step), (n, 4), jnp.float32, -(3**0.5), 3**0.5
        )
        return Sample(x, (x @ self.a + (x**2 - 1) @ self.b) ** 2)


@pytest.fixture(scope="module")
def sample(one_layer):
    return one_layer(0, 400)


@pytest.fixture(scope="module")
def fit(sample):
    return SMALL.fit(sample, key=jax.random.key(0))


def test_reaches_its_error_and_finds_the_width(fit, sample):
    record = fit.record
    assert int(record["done_step"]) > 0
    assert record["widths"].tolist() == [1]
    assert float(record["validation"]) < 4 * 0.01**2
    assert float(jnp.mean((fit(sample.x) - sample.y) ** 2) / np.mean(sample.y**2)) < 1e-3


def test_events_are_in_order_and_the_error_level_only_falls(fit):
    record = fit.record
    unlock, start = int(record["unlock_step"][0]), int(record["start_step"][0])
    assert 0 == unlock < start <= int(record["done_step"])
    assert np.all(np.diff(record["error_level"]) <= 0)
    assert float(record["error_level"][-1]) < 0.01
    below = np.asarray(record["objective"])[: start // 25]
    assert np.all(below > 0.01)
    np.testing.assert_allclose(record["objective"][0], 1, rtol=1e-5)
    values = np.asarray(record["singular_values"][0])
    assert np.sum(values > 0.1 * values[0]) == 1


def test_nothing_moves_after_the_end(fit):
    done = int(fit.record["done_step"])
    for w, late in zip(fit.at(done).weights.W, fit.weights.W, strict=True):
        np.testing.assert_array_equal(w, late)


def test_a_model_of_the_past_is_what_it_was(fit, sample):
    start = fit.at(0)
    np.testing.assert_array_equal(start(sample.x), 0)
    assert int(start.widths[0]) == 0
    begun = fit.at(int(fit.record["start_step"][0]))
    assert int(begun.widths[0]) == 1
    before = fit.at(int(fit.record["start_step"][0]) - 1)
    assert not np.any(before.weights.K[0])


def test_the_narrow_and_the_distilled_network_are_one_function(fit, sample):
    network = fit.distilled()
    np.testing.assert_allclose(network(sample.x), fit.narrow(sample.x), rtol=1e-4, atol=1e-4)
    gap = np.mean((np.asarray(network(sample.x)) - np.asarray(fit(sample.x))) ** 2)
    assert gap / np.var(sample.y) < 1e-2


def test_features_are_those_of_the_target_up_to_sign(fit, sample, one_layer):
    S = np.asarray(fit.features(sample.x, level=2))
    assert S.shape == (400, 2)
    assert not np.any(S[:, 1:])
    np.testing.assert_allclose(S[:, 0] ** 2, sample.y, rtol=0.05, atol=0.05)
    np.testing.assert_allclose(fit.features(sample.x, level=1), sample.x**2 - 1, rtol=1e-5)


def test_keeps_what_every_learner_promises_in_float64(one_layer):
    learner = Hierarchical(
        (1.0,), neurons=4, most=1, steps=20, every=10, batch=8, candidates=1,
        optimiser=Optimiser("sgd", rate=0.01),
        precision="double",
    )  # fmt: skip
    assert isinstance(learner, Learner)
    assert isinstance(learner, StreamLearner)
    sample = one_layer(3, 60)
    check_learner(learner, sample, key=jax.random.key(1))
    assert learner.fit(sample, key=jax.random.key(1)).weights.W[0].dtype == np.float64


def test_a_grid_of_alphas_is_one_fleet(sample):
    learners = [eqx.tree_at(lambda h: h.alphas, SMALL, (a,)) for a in (0.5, 2.0)]
    fleet = fit_many(learners, sample, jax.random.split(jax.random.key(3), 2))
    assert [float(fit.frozen.alphas[0]) for fit in fleet] == [0.5, 2.0]
    assert fleet.stacked.record["widths"].tolist() == [[1], [1]]  # W takes up the factor


def test_fresh_points_serve_as_well_and_a_fleet_of_streams_equals_single_ones():
    rng = np.random.default_rng(2)
    task = Stream(*(jnp.asarray(rng.normal(size=4) / 2, jnp.float32) for _ in range(2)))
    keys = jax.random.split(jax.random.key(0), 2)
    learner = eqx.tree_at(lambda h: h.error, SMALL, 0.02)
    fleet = fit_stream_many(learner, task, keys)
    assert fleet.stacked.record["widths"].tolist() == [[1], [1]]
    assert np.all(np.asarray(fleet.stacked.record["validation"]) < 1e-3)


@pytest.fixture(scope="module")
def descents(sample):
    """Plain gradient descent at a step size that learns, and at one that diverges: one fleet."""
    learners = [
        eqx.tree_at(
            lambda h: (h.optimiser, h.noise),
            SMALL,
            (Optimiser("sgd", rate=rate, clip=clip), noise),
        )
        for rate, clip, noise in ((0.1, 1.0, 1e-3), (1e3, 1e9, 1.0))
    ]
    return fit_many(learners, sample, jax.random.split(jax.random.key(0), 2))


def test_plain_gradient_descent_learns_too(descents):
    record = descents[0].record
    assert record["widths"].tolist() == [1]
    assert float(record["validation"]) < 1e-2


def test_a_training_that_diverges_says_where_and_keeps_finite_weights(descents):
    record = descents[1].record
    assert not bool(descents[0].record["diverged"])
    assert bool(record["diverged"])
    assert 0 <= int(record["diverged_step"]) < 600
    assert float(record["rate"]) == 1e3
    assert np.all(np.isfinite(descents[1].weights.W[0]))


def test_thresholds_fall_layer_by_layer():
    for layers in (1, 2, 3):
        up, down = thresholds(layers, 0.09)
        ladder = [v for pair in zip(up, down, strict=True) for v in pair]
        assert ladder == sorted(ladder, reverse=True)
        assert up[0] == np.inf


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"alphas": (1.0, 0.0)}, "α must be positive"),
        ({"alphas": 1.0}, "one number for each layer"),
        ({"graph": {2: (0, 1), 3: (0, 3)}}, "does not lie below"),
        ({"up": (np.inf, 0.5), "down": (0.4, 0.01)}, "must fall"),
        ({"up": (np.inf,)}, "one number for each of 2"),
        ({"distil": (0.01, 0.03, 0.1)}, "λ3 ≥ λ4"),
        ({"most": (2,)}, "most must be"),
        ({"neurons": 0}, "whole number"),
        ({"candidates": 0}, "between 1 and 256"),
        ({"steps": 120, "every": 50}, "multiple of every"),
        ({"noise": -1.0}, "at least 0"),
        ({"precision": "half"}, "precision must be"),
    ],
)
def test_bad_configs_are_refused(change, said):
    with pytest.raises(InvalidInputError, match=said):
        Hierarchical(**{"alphas": (1.0, 0.1), **change})


def test_bad_samples_are_refused(sample):
    with pytest.raises(InvalidInputError, match="batch of 32 cannot be taken from 16"):
        SMALL.fit(Sample(sample.x[:20], sample.y[:20]), key=jax.random.key(0))
    two = np.stack([sample.y, sample.y], axis=1)
    with pytest.raises(InvalidInputError, match="one output"):
        SMALL.fit(Sample(sample.x, two), key=jax.random.key(0))
