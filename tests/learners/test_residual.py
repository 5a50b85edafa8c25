"""Residual and fully connected learners: what moves, how, and against slow references."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.learners import FullyConnected, Residual, StructuredNoise, original, tangent_model
from featlearn.samples import Sample
from featlearn.training import Optimiser

KEY = jax.random.key(2)
N, D, K, M = 25, 3, 2, 6


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, D)).astype(np.float32)
    return Sample(x, np.stack([x[:, 0] * x[:, 1], x[:, 2]], axis=1))


def one_pass(train="hidden", **options):
    """Two epochs of one batch each: the whole of the 20 training rows."""
    options = {"epochs": 2, "batch": 20, "optimiser": original(rate=0.1, decay=0.01)} | options
    return Residual(M, train, **options)


def by_hand(fit, sample, trained, steps, rate, decay):
    """Momentum SGD on all training rows, from the same start, by `jax.grad` of the formula."""
    w = {name: jnp.asarray(value, jnp.float64) for name, value in fit.items()}
    x = jnp.hstack([jnp.asarray(sample.x[:20], jnp.float64), jnp.ones((20, 1))])
    y = jnp.asarray(sample.y[:20], jnp.float64)

    def loss(moving):
        p = w | moving
        g = jax.nn.relu(x @ p["W"].T) @ p["A"].T
        inner = p.get("inner", p["A"])
        seen = jax.nn.relu(x @ p["W"].T) @ inner.T
        out = g + jax.nn.relu(jnp.hstack([seen, jnp.ones((20, 1))]) @ p["V"].T) @ p["A"].T
        return 0.5 * jnp.sum((out - y) ** 2) / 20

    moving = {name: w[name] for name in trained}
    speed = {name: jnp.zeros_like(value) for name, value in moving.items()}
    for step in range(steps):
        gradient = jax.grad(loss)(moving)
        eta = rate if step < steps / 2 else rate / 10
        for name in trained:
            speed[name] = 0.9 * speed[name] + gradient[name] + decay * moving[name]
            moving[name] = moving[name] - eta * speed[name]
    return w | moving


@pytest.mark.parametrize(("train", "trained"), [("hidden", "WV"), ("all", "WVA"), ("last", "A")])
def test_two_steps_by_hand(train, trained, sample):
    fit = one_pass(train, snapshots=(0, 2)).fit(sample, key=KEY)
    start = fit.at(0).weights
    slow = by_hand(start, sample, trained, 2, 0.1, 0.01)
    for name in "WVA":
        np.testing.assert_allclose(fit.weights[name], slow[name], atol=2e-6)
        moved = np.abs(np.asarray(fit.weights[name]) - np.asarray(start[name])).max()
        assert (moved > 1e-3) == (name in trained)
    wrong = by_hand(start, sample, trained, 2, 0.1, 0.0)  # without weight decay
    assert np.abs(np.asarray(fit.weights["A" if train == "last" else "W"])
                  - wrong["A" if train == "last" else "W"]).max() > 1e-4  # fmt: skip


def test_the_tangent_mode_is_the_tangent_model(sample):
    """At the δ it found it predicts as `tangent_model` does, and its start is the network."""
    fit = one_pass("tangent").fit(sample, key=KEY)
    model = tangent_model(lambda w, x: fit.network(fit.weights | w, x),
                          {name: fit.weights[name] for name in fit.delta})  # fmt: skip
    delta = {name: value.astype(jnp.float64) for name, value in fit.delta.items()}
    np.testing.assert_allclose(fit(sample.x), model.at(delta)(sample.x), atol=1e-4)
    assert np.abs(fit(sample.x) - model(sample.x)).max() > 0.05
    assert set(fit.delta) == {"V", "W"}


def test_errors_in_the_record_are_those_of_the_fit(sample):
    fit = one_pass().fit(sample, key=KEY)
    gaps = np.sum((np.asarray(fit(sample.x)) - sample.y) ** 2, axis=1)
    assert fit.record["training"] == pytest.approx(gaps[:20].mean(), rel=1e-4)
    assert fit.record["validation"] == pytest.approx(gaps[20:].mean(), rel=1e-4)


def test_snapshots_are_on_the_way(sample):
    fit = one_pass(epochs=4, snapshots=(0, 1, 4)).fit(sample, key=KEY)
    assert list(fit.epochs) == [0, 1, 4]
    np.testing.assert_array_equal(fit.at(4)(sample.x), fit(sample.x))
    np.testing.assert_array_equal(fit.at(3)(sample.x), fit.at(1)(sample.x))
    assert np.abs(fit.at(0)(sample.x) - fit.at(1)(sample.x)).max() > 1e-3
    with pytest.raises(InvalidInputError, match="no snapshot"):
        one_pass().fit(sample, key=KEY).at(1)


def test_noise_and_the_decay_of_v(sample):
    """λ_v acts on V alone, and noise moves what would stand still at rate 0 of the gradient."""
    sgd = Optimiser("sgd", rate=0.1, decay=0.01)
    common = {"form": "full", "optimiser": sgd, "epochs": 1, "snapshots": (0,)}
    plain, heavier, noisy = (
        one_pass(**common, **more).fit(sample, key=KEY)
        for more in ({}, {"second": 0.51}, {"noise": StructuredNoise(1.0)})
    )
    start = plain.at(0).weights
    np.testing.assert_allclose(
        heavier.weights["V"], plain.weights["V"] - 0.1 * 0.5 * start["V"], atol=1e-6
    )
    np.testing.assert_array_equal(heavier.weights["W"], plain.weights["W"])
    for name in "WV":
        assert np.abs(noisy.weights[name] - plain.weights[name]).max() > 1e-2
    np.testing.assert_array_equal(noisy.weights["A"], plain.weights["A"])


def test_the_first_layers_output(sample):
    fit = one_pass().fit(sample, key=KEY)
    g = np.asarray(fit.features(sample.x, level=1)) @ np.asarray(fit.weights["A"]).T
    np.testing.assert_allclose(fit.first_output(sample.x), g, atol=1e-5)
    chain = FullyConnected(2, M, epochs=1, batch=20).fit(sample, key=KEY)
    with pytest.raises(InvalidInputError, match="Only a residual network"):
        chain.first_output(sample.x)


def test_a_training_that_diverges_says_so(sample):
    fit = one_pass(optimiser=original(rate=1e6), epochs=3).fit(sample, key=KEY)
    assert bool(fit.record["diverged"])
    assert np.isfinite(fit(sample.x)).all()


BAD = {
    "train": (lambda: Residual(4, "first"), "got 'first'"),
    "form": (lambda: Residual(4, form="square"), "got 'square'"),
    "start": (lambda: Residual(4, start="random"), "got 'random'"),
    "width": (lambda: Residual(0), "width must be .* got 0"),
    "epochs": (lambda: Residual(4, epochs=0), "epochs must be .* got 0"),
    "batch": (lambda: FullyConnected(2, 4, batch=0), "batch must be .* got 0"),
    "depth": (lambda: FullyConnected(1, 4), "depth must be .* at least 2, got 1"),
    "noise on a low rank": (lambda: Residual(4, noise=StructuredNoise()), "form='full'"),
    "noise on frozen weights": (
        lambda: Residual(4, "last", form="full", noise=StructuredNoise()),
        "Structured noise is for hidden weights",
    ),
    "snapshot after the end": (lambda: Residual(4, epochs=3, snapshots=(4,)), "between 0 and 3"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name):
    build, message = BAD[name]
    with pytest.raises(InvalidInputError, match=message):
        build()
