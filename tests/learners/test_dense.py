"""The dense learner: its equations, its modes, and the toy in which lower layers are corrected."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import featlearn as fl
from featlearn.errors import InvalidInputError
from featlearn.fleet import fit_stream_many
from featlearn.learners import Dense
from featlearn.learners._dense_network import Shape, heads, random_weights
from featlearn.samples import Sample
from featlearn.testing import slow_dense, slow_dense_gradient
from featlearn.training import Optimiser

KEY = jax.random.key(5)
GRAPH = ((0,), (0, 1), (1, 2))


@pytest.fixture(scope="module")
def network():
    """A shape with random weights in float64, dimension 4, a skip from layer 1 to layer 3."""
    widths, gaps = (5, 4, 3), (1.0, 0.5, 0.2)
    shape = Shape(GRAPH, heads(KEY, widths, 1, gaps, plus=False), None)
    drawn = random_weights(
        KEY, GRAPH, widths, 4, first=1, scale=0.7, constant=None, dtype=jnp.float64
    )
    return shape, drawn


def parts(shape, weights):
    """What the slow reference takes."""
    return weights.layers, [head[:, 0] for head in shape.heads], shape.graph


def test_equals_the_slow_network(network):
    shape, weights = network
    x = np.random.default_rng(0).normal(size=(6, 4))
    slow = np.array([slow_dense(*parts(shape, weights), point) for point in x])
    np.testing.assert_allclose(shape(weights, jnp.asarray(x))[:, 0], slow, rtol=1e-6)
    wrong = Shape(((0,), (0, 1), (2, 1)), shape.heads, None)
    swapped = eqx.tree_at(lambda w: w.layers[2], weights, weights.layers[2][::-1])
    np.testing.assert_allclose(wrong(swapped, jnp.asarray(x))[:, 0], slow, rtol=1e-6)
    assert np.abs(shape(weights, jnp.asarray(x + 1e-3))[:, 0] - slow).max() > 1e-3


def test_the_gradient_equals_the_slow_gradient(network):
    shape, weights = network
    x = np.random.default_rng(1).normal(size=4)
    found = jax.grad(lambda w: shape(w, jnp.asarray(x[None]))[0, 0])(weights)
    slow = slow_dense_gradient(*parts(shape, weights), x)
    for layer, slow_layer in zip(found.layers, slow, strict=True):
        for one, other in zip(layer, slow_layer, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)


def test_the_start_is_random_with_the_scale_that_is_asked_for():
    (w,), *_ = random_weights(
        KEY, ((0,),), (400,), 50, first=1, scale=0.3, constant=None, dtype=jnp.float32
    ).layers
    variance = float(np.var(w)) * 50 / 0.09
    assert abs(variance - 1) < 4 * np.sqrt(2 / w.size)


# d = 6 of toy (b) in small: 12 neurons a layer, 200 fresh points a step
TASK = fl.Task(fl.inputs.Gaussian(6, mean=np.ones(6)), fl.targets.toy("correction", 6, 0.3))
STEPS, UNLOCK = 1200, 400
SNAPSHOTS = (0, UNLOCK, 800)


def small(mode, **changes):
    options = {"steps": STEPS, "batch": 200, "unlock": (UNLOCK / STEPS,), "snapshots": SNAPSHOTS}
    return Dense((12, 12), mode, **(options | changes))


@pytest.fixture(scope="module")
def fits():
    return {mode: small(mode).fit_stream(TASK, key=KEY) for mode in ("layerwise", "staged")}


@pytest.fixture(scope="module")
def points():
    return TASK.sample(jax.random.key(9), 20_000)


def error(fit, points):
    return float(np.mean((fit(points.x) - points.y) ** 2) / np.var(points.y))


def foreign(fit):
    """The share of the first layer's quadratic form outside span(x_1, x_2)."""
    q = np.asarray(fit.quadratic_form())
    return 1 - np.sum(q[:2, :2] ** 2) / np.sum(q**2)


def test_layers_are_corrected_when_they_are_trained_together(fits, points):
    assert error(fits["layerwise"], points) > 0.03
    assert error(fits["staged"], points) < 0.01
    before = foreign(fits["staged"].at(UNLOCK))
    assert before > 0.02
    assert foreign(fits["staged"]) < before / 3
    assert foreign(fits["layerwise"]) == pytest.approx(before, rel=1e-3)


def test_both_modes_are_one_training_until_the_second_layer_joins_in(fits):
    one, other = (fits[mode].at(UNLOCK) for mode in ("layerwise", "staged"))
    jax.tree.map(np.testing.assert_array_equal, one.weights, other.weights)
    start = fits["staged"].at(0).weights.layers[1]
    jax.tree.map(np.testing.assert_array_equal, one.weights.layers[1], start)


def test_layerwise_freezes_what_is_trained(fits):
    fit = fits["layerwise"]
    jax.tree.map(
        np.testing.assert_array_equal, fit.at(UNLOCK).weights.layers[0], fit.weights.layers[0]
    )
    assert np.abs(fit.weights.layers[1][1] - fit.at(UNLOCK).weights.layers[1][1]).max() > 0.01


def test_a_layer_that_has_not_joined_in_has_no_part(fits, points):
    fit = fits["staged"].at(UNLOCK)
    np.testing.assert_allclose(fit(points.x), fit.part(points.x, 1), rtol=1e-5)
    assert np.abs(fits["staged"](points.x) - fits["staged"].part(points.x, 1)).max() > 0.1
    np.testing.assert_array_equal(fit.record["unlocked"], [0, UNLOCK])


def test_every_snapshot_at_once(fits, points):
    fit, x = fits["staged"], points.x[:5]
    stacked = fit.each()
    for place, time in enumerate(SNAPSHOTS):
        one = jax.tree.map(lambda a, i=place: a[i], (stacked.weights, stacked.shape.heads))
        found = eqx.tree_at(lambda f: (f.weights, f.shape.heads), fit, one)(x)
        np.testing.assert_allclose(found, fit.at(time)(x), rtol=1e-6)


def test_parts_add_up_and_the_first_is_a_quadratic_form(fits, points):
    fit, x = fits["staged"], points.x[:50]
    np.testing.assert_allclose(fit.part(x, 1) + fit.part(x, 2), fit(x), rtol=1e-4)
    by_form = np.einsum("ni,ij,nj->n", x, np.asarray(fit.quadratic_form()), x)
    np.testing.assert_allclose(fit.part(x, 1), by_form, rtol=1e-4)
    assert fit.features(x, level=2).shape == (50, 12)
    with pytest.raises(InvalidInputError, match="Layers 1 to 2 of this network"):
        fit.part(x, 0)


def test_a_fleet_equals_fits_one_by_one(points):
    learner = Dense((4, 3), steps=30, batch=20)
    tasks = [
        fl.Task(fl.inputs.Gaussian(6), fl.targets.toy("correction", 6, gap)) for gap in (0.1, 0.5)
    ]
    keys = jax.random.split(KEY, 2)
    fleet = fit_stream_many(learner, tasks, keys)
    for member, task, key in zip(fleet, tasks, keys, strict=True):
        alone = learner.fit_stream(task, key=key)
        np.testing.assert_allclose(member(points.x), alone(points.x), rtol=2e-3, atol=1e-4)
        assert member.weights.layers[0][0].dtype == jnp.float32


def test_a_fixed_first_layer_is_centred_and_not_trained():
    target = fl.targets.dense(5, (2,), (1.0,), first_layer="fixed", key=KEY)
    sample = fl.Task(fl.inputs.Gaussian(5), target).sample(KEY, 300)
    fit = Dense((6,), first_layer="fixed", steps=40, batch=50, dtype="float64").fit(sample, key=KEY)
    squares = np.asarray(sample.x, np.float64) ** 2
    np.testing.assert_allclose(fit.features(sample.x, 1), squares - squares.mean(0), atol=1e-5)
    assert fit.levels == 2
    assert fit.weights.layers[0][0].dtype == jnp.float64
    assert fit.record["loss"][-1] < fit.record["loss"][0]


def test_cross_entropy_learns_a_quadratic_boundary():
    x = np.random.default_rng(2).normal(size=(600, 3)).astype(np.float32)
    y = (x[:, 0] ** 2 > 0.5).astype(np.float32)
    learner = Dense(
        (8,), loss="cross-entropy", intercept=True, signs="both", steps=300, batch=100,
        optimiser=Optimiser("adam", rate=0.05),
    )  # fmt: skip
    fit = learner.fit(Sample(x[:400], y[:400]), key=KEY)
    assert np.mean((fit(x[400:]) > 0) == y[400:]) > 0.93
    assert float(fit.weights.constant[0]) < -0.5
    with pytest.raises(InvalidInputError, match="Cross-entropy needs labels 0 and 1"):
        learner.fit(Sample(x, x[:, 0]), key=KEY)


def test_padding_changes_nothing():
    x = np.random.default_rng(3).normal(size=(30, 3)).astype(np.float32)
    y = (x[:, 0] ** 2).astype(np.float32)
    padded = np.concatenate([x, 50 * np.ones((7, 3), np.float32)])
    labels = np.concatenate([y, np.full(7, 9.0, np.float32)])
    for batch in (10, None):
        learner = Dense((4,), steps=20, batch=batch)
        alone = learner.fit(Sample(x, y), key=KEY)(x)
        given = Sample(jnp.asarray(padded), jnp.asarray(labels), jnp.asarray(30))
        found = eqx.filter_jit(learner.fit_arrays)(given, KEY)(x)
        np.testing.assert_allclose(found, alone, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"widths": ()}, "widths must be numbers of neurons"),
        ({"mode": "greedy"}, "mode must be one of joint, layerwise, staged, got 'greedy'"),
        ({"graph": {1: (0,), 2: (2,)}}, r"graph lets layer 2 read \[2\]"),
        ({"graph": {1: (0,), 2: ()}}, r"graph lets layer 2 read \[\]"),
        ({"graph": {1: (0,)}}, r"graph must name the layers that each of the layers \[1, 2\]"),
        ({"gaps": (1.0, 0.0)}, "gaps must be positive"),
        ({"mode": "staged", "unlock": (1.5,)}, "unlock must be 1 rising fractions"),
        ({"steps": 1}, "steps must be at least one for each of 2 layers, got 1"),
        ({"batch": 0}, "batch must be at least 1, or None, got 0"),
    ],
)
def test_refuses_what_is_no_network(wrong, said):
    with pytest.raises(InvalidInputError, match=said):
        Dense(**({"widths": (4, 3)} | wrong))


def test_refuses_a_batch_larger_than_the_sample():
    x = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(InvalidInputError, match="A batch of 50 cannot be taken from 20 samples"):
        Dense((4,), batch=50).fit(Sample(x, x[:, 0]), key=KEY)
