"""A training equals its equations step by step, whatever is drawn ahead or kept on the way."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.samples import Sample
from featlearn.training import (
    Epochs,
    Optimiser,
    Training,
    log_steps,
    multipliers,
    square,
    train,
)

KEY = jax.random.key(7)
ADAM = Optimiser("adam", rate=1e-2)


def slow_training(loss, source, optimiser, steps, params, key):
    """The same step by step in Python, with the losses."""
    moments, losses = optimiser.start(params), []
    for t in range(steps):
        batch = source(jax.random.fold_in(key, 0), jnp.asarray(t, jnp.int32))
        value, gradient = jax.value_and_grad(loss)(params, batch)
        rates = multipliers(optimiser.rate_at(jnp.asarray(t), steps), params)
        params, moments = optimiser.step(params, gradient, moments, rates)
        losses.append(float(value))
    return params, losses


def close(one, other, rtol=1e-5, atol=1e-6):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol, atol), one, other)


@pytest.fixture(scope="module")
def reference(regression):
    loss, source, start = regression
    return slow_training(loss, source, ADAM, 21, start(), KEY)


@pytest.mark.parametrize("ahead", [1, 8])
def test_equals_a_loop_in_python(regression, reference, ahead):
    loss, source, start = regression
    trained = train(loss, start(), source, ADAM, steps=21, key=KEY, ahead=ahead)
    close(trained.params, reference[0])
    close(trained.record["loss"], np.array(reference[1]))
    assert not trained.record["diverged"]
    assert trained.params["w"].dtype == trained.record["loss"].dtype == jnp.float32


def test_one_step_fewer_is_another_training(regression, reference):
    loss, source, start = regression
    other = train(loss, start(), source, ADAM, steps=20, key=KEY)
    assert not np.allclose(other.params["w"], reference[0]["w"], rtol=1e-5)


def test_snapshots_are_shorter_trainings(regression, reference):
    loss, source, start = regression
    kept = train(loss, start(), source, ADAM, steps=21, key=KEY, snapshots=(0, 3, 17))
    np.testing.assert_array_equal(kept.times, [0, 3, 17])
    close(kept.at(0), start(), rtol=0, atol=0)
    close(kept.at(5), train(loss, start(), source, ADAM, steps=3, key=KEY).params)
    close(kept.params, reference[0])
    with pytest.raises(InvalidInputError, match="no snapshot at or before step -1"):
        kept.at(-1)


def test_the_loss_curve_is_thinned_to_means(regression, reference):
    loss, source, start = regression
    trained = train(loss, start(), source, ADAM, steps=21, key=KEY, points=5)
    np.testing.assert_array_equal(trained.record["loss_step"], [0, 5, 10, 15, 20])
    means = [np.mean(reference[1][i : i + 5]) for i in range(0, 21, 5)]
    np.testing.assert_allclose(trained.record["loss"], means, rtol=1e-4)


def test_trains_in_float64_where_the_parameters_are(regression, reference):
    loss, source, start = regression
    wide = jax.tree.map(lambda a: a.astype(jnp.float64), start())
    trained = train(loss, wide, source, ADAM, steps=21, key=KEY)
    assert trained.params["w"].dtype == jnp.float64
    close(trained.params, reference[0], 1e-3, 1e-4)


def test_parts_may_be_frozen_and_unlocked_later(regression):
    loss, source, start = regression

    def parts(step):
        return {"w": jnp.where(step < 10, 0.0, 1.0), "a": 1.0, "b": 0.0}

    trained = train(
        loss, start(), source, ADAM, steps=11, key=KEY, parts=parts, snapshots=(0, 10, 11)
    )
    w = np.asarray(trained.trajectory["w"])
    np.testing.assert_array_equal(w[0], w[1])
    assert np.abs(w[2] - w[1]).min() > 0
    assert np.all(np.asarray(trained.trajectory["b"]) == 0)
    # at its first step an unlocked part moves like one that is trained from the start
    np.testing.assert_allclose(np.abs(w[2] - w[1]), 1e-2, rtol=1e-3)


def test_noise_is_added_to_the_gradient(regression):
    """With no gradient, sgd adds up the noise: variance η²·steps."""
    _, source, _ = regression
    params = {"w": jnp.zeros(2000, jnp.float32)}

    def noise(key, params, batch):
        return {"w": jax.random.normal(key, params["w"].shape, jnp.float32)}

    found = train(
        lambda p, b: 0.0 * jnp.sum(p["w"]), params, source, Optimiser("sgd", rate=0.1),
        steps=25, key=KEY, noise=noise,
    ).params["w"]  # fmt: skip
    variance = float(np.var(found))
    assert abs(variance - 0.25) < 4 * 0.25 * np.sqrt(2 / 2000)


def quartic(params, batch):
    return jnp.mean(batch.y) * 0 + params["rate_of_growth"] ** 4


@pytest.mark.parametrize("ceiling", [1e12, 500.0])
def test_a_training_that_diverges_says_where_and_keeps_numbers(ceiling):
    source = Epochs(Sample(jnp.ones((4, 1)), jnp.ones(4)), 2)
    steep = Optimiser("sgd", rate=0.5, drops=((0.5, 0.1),))
    params = {"rate_of_growth": jnp.asarray(2.0, jnp.float32)}
    trained = train(quartic, params, source, steep, steps=40, key=KEY, ahead=2, ceiling=ceiling)
    assert trained.record["diverged"]
    step = int(trained.record["diverged_step"])
    assert 0 < step < 8
    assert float(trained.record["rate"]) == pytest.approx(0.5)
    assert np.isfinite(trained.params["rate_of_growth"])
    curve = np.asarray(trained.record["loss"])
    assert np.all(curve[:step] <= ceiling)
    assert np.isnan(curve[step:]).all()


def test_neighbours_of_a_training_that_diverges_do_not_notice(regression):
    loss, source, start = regression
    rates = jnp.asarray([1e-2, 1e6])

    def one(rate):
        return train(loss, start(), source, Optimiser("sgd", rate=rate), steps=30, key=KEY)

    both, alone = jax.vmap(one)(rates), one(rates[0])
    assert list(both.record["diverged"]) == [False, True]
    close(jax.tree.map(lambda a: a[0], both.params), alone.params)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(both.params))


def test_a_whole_sample_counts_its_real_rows_only():
    x = jnp.asarray([[1.0], [2.0], [50.0]], jnp.float32)
    padded = Sample(x, 3 * x[:, 0] + jnp.asarray([0, 0, 7.0]), jnp.asarray(2))
    line = {"w": jnp.zeros(1, jnp.float32)}
    found = train(
        lambda p, b: square(b.x @ p["w"], b), line, Epochs(padded), Optimiser("sgd", rate=0.1),
        steps=60, key=KEY,
    )  # fmt: skip
    assert float(found.params["w"][0]) == pytest.approx(3.0, abs=1e-4)


def test_log_steps_hold_both_ends():
    steps = log_steps(1000, 10)
    assert steps[0] == 0
    assert steps[-1] == 1000
    assert list(steps) == sorted(set(steps))
    assert log_steps(1) == (0, 1)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"steps": 0}, "steps must be a whole number of at least 1, got 0"),
        ({"snapshots": (0, 30)}, "snapshots must lie between 0 and the 20 steps"),
        ({"ahead": 0}, "ahead must be a whole number of at least 1, got 0"),
    ],
)
def test_refuses_what_cannot_be_trained(regression, wrong, said):
    loss, source, _ = regression
    with pytest.raises(InvalidInputError, match=said):
        Training(loss, source, ADAM, **({"steps": 20} | wrong))


def test_refuses_parameters_without_a_gradient(regression):
    loss, source, _ = regression
    with pytest.raises(InvalidInputError, match="Parameters must be floating arrays, got int"):
        train(loss, {"w": jnp.ones(3, int)}, source, ADAM, steps=3, key=KEY)


def test_a_source_is_any_pure_function(regression, reference):
    loss, source, start = regression
    plain = train(loss, start(), source.origin, ADAM, steps=21, key=KEY)
    close(plain.params, reference[0])
