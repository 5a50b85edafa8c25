"""A search is the fits one by one, its choice that of validation alone."""

import jax
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.fleet import search
from featlearn.learners import Residual, original
from featlearn.samples import Sample

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)).astype(np.float32)
SAMPLE = Sample(X[:25], X[:25, 0] * X[:25, 1])
TEST = Sample(X[25:], X[25:, 0] * X[25:, 1])
KEYS = jax.random.split(jax.random.key(0), 2)
GRID = {"rate": (1e6, 0.05), "decay": (0.0, 0.01)}


def network(rate: float, decay: float) -> Residual:
    return Residual(5, optimiser=original(rate, decay), epochs=3, batch=10)


@pytest.fixture(scope="module")
def found():
    return search(network, GRID, SAMPLE, KEYS, test=TEST)


def test_it_equals_fits_one_by_one(found):
    alone = network(0.05, 0.01).fit(SAMPLE, key=KEYS[1])
    assert found.settings[3] == {"rate": 0.05, "decay": 0.01}
    np.testing.assert_allclose(found.fits[7](TEST.x), alone(TEST.x), rtol=1e-4, atol=1e-5)
    assert found.validation[3, 1] == pytest.approx(float(alone.record["validation"]), rel=1e-4)
    gap = np.asarray(alone(TEST.x)) - TEST.y
    assert found.test_error[3, 1] == pytest.approx(np.mean(gap**2), rel=1e-4)


def test_validation_chooses_and_never_what_diverged(found):
    assert np.isinf(found.validation[:2]).all()
    assert (found.chosen == np.argmin(found.validation, axis=0)).all()
    for member in range(2):
        best = found.fits[int(found.chosen[member]) * 2 + member]
        np.testing.assert_array_equal(found[member](TEST.x), best(TEST.x))


def test_the_record_says_what_choosing_by_test_error_would_have_given(found):
    record = found.record()
    assert (record["test_error_if_chosen_by_test"] <= record["test_error"]).all()
    np.testing.assert_array_equal(
        record["test_error_if_chosen_by_test"], found.test_error[found.by_test, [0, 1]]
    )


@pytest.mark.parametrize("grid", [{}, {"rate": ()}])
def test_an_empty_grid_is_refused(grid):
    with pytest.raises(InvalidInputError, match="at least one value"):
        search(network, grid, SAMPLE, KEYS)
