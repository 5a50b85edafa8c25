"""What a cell of the residual networks' studies measures, against slow references."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.inputs import Hypercube
from featlearn.studies.beyond._cells import KERNELS, cell, search, shape
from featlearn.studies.beyond._experiment import (
    Apart,
    left_by_linear_maps,
    make_learner,
    watched_epochs,
    with_setting,
    with_validation,
)
from featlearn.targets import pair_products

X = Hypercube(30).sample(jax.random.key(0), 4000)


def correlation(a, b):
    return abs(float(np.mean(np.asarray(a) * np.asarray(b))))


@pytest.mark.parametrize("version", ["slides", "later"])
def test_apart_keeps_f_and_the_size_of_g_and_nothing_of_their_relation(version):
    pairs = pair_products(version, 0.3, 1.0)
    near, far = Apart(pairs, jnp.asarray(False)), Apart(pairs, jnp.asarray(True))
    np.testing.assert_array_equal(near(X), pairs(X))
    composite = (far(X) - pairs.features(X)) / 0.3
    np.testing.assert_allclose(jnp.abs(composite), 1.0, rtol=1e-5)
    original = pairs.features(X, level=2)
    chance = 4 / len(X) ** 0.5
    assert correlation(composite[:, 0], original[:, 0]) < chance
    # nor is it a product of any of the outputs of F: pairs are split by it
    signs = np.asarray(far(X) - pairs.features(X))[:, 0]
    flipped = X * jnp.where(jnp.arange(30) < 2, -1.0, 1.0)  # x1x2 stays, x1 and x2 do not
    moved = np.asarray(far(flipped) - pairs.features(flipped))[:, 0]
    np.testing.assert_array_equal(np.sign(moved), -np.sign(signs))


def test_what_linear_maps_leave_against_least_squares():
    rng = np.random.default_rng(0)
    g = rng.normal(size=(50, 3)) @ np.array([[1.0, 0, 0], [2, 1, 0], [0, 0, 0]])  # rank 2
    f = g @ rng.normal(size=(3, 3)) + 0.1 * rng.normal(size=(50, 3))
    slow = f - g @ np.linalg.lstsq(g, f, rcond=None)[0]
    found = left_by_linear_maps(jnp.asarray(f), jnp.asarray(g))
    assert float(found) == pytest.approx(np.mean(np.sum(slow**2, axis=1)), rel=1e-8)


def test_a_fifth_of_the_rows_chooses():
    assert with_validation(1000) == 1250
    assert int(with_validation(jnp.asarray(40))) == 50


def test_settings_are_numbers_of_one_program():
    cells = search("ResNet", "slides", 100, (0.1, 0.2), (0.0, 1e-3))
    assert len(cells) == 4
    assert len({shape(one) for one in cells}) == 1
    assert len(search("RBF", "slides", 100, (0.1, 0.2), (0.0, 1e-3))) == 1
    learner = with_setting(make_learner(cells[0]), jnp.asarray(0.7), jnp.asarray(0.01))
    assert float(learner.schedule.optimiser.rate) == pytest.approx(0.7)
    assert float(learner.schedule.optimiser.decay) == pytest.approx(0.01)


def test_every_learner_that_is_named_can_be_made():
    for name in ("ResNet", "ResNet, all", "last layer", "tangent", "two-layer", "fully connected"):
        assert make_learner(cell(name, "later", 100)).schedule.epochs == 400
    assert all(make_learner(cell(name, "power", 100, d=5, p=3)) for name in KERNELS)


def test_watched_epochs_end_with_the_last():
    assert watched_epochs(cell("ResNet", "slides", 100, epochs=400, watched=4))[-1] == 400
    assert watched_epochs(cell("ResNet", "slides", 100)) == ()
