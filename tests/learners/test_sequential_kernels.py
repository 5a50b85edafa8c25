"""Kernel ridge on what the kernel ridge before found, against the same by hand."""

import numpy as np
import pytest

from featlearn import memory
from featlearn.errors import InvalidInputError
from featlearn.kernels import RBF, Polynomial
from featlearn.learners import SequentialKernels
from featlearn.samples import Sample

GRID = (1e-4, 1e-2, 1.0)
N, TRAIN = 200, 160


@pytest.fixture(scope="module")
def sample(easy):
    return Sample(easy.sample.x[:N], easy.sample.y[:N])


@pytest.fixture(scope="module")
def fit(sample, key):
    return SequentialKernels(RBF(1.0), 3, penalties=GRID).fit(sample, key=key)


def mean_square(columns):
    return np.mean(np.asarray(columns, np.float64)[:TRAIN] ** 2)


def ridge_by_hand(z, y):
    """Predictions everywhere and the validation error, at the best λ."""
    gram = np.asarray(RBF(1.0)(z))
    tried = []
    for penalty in GRID:
        matrix = gram[:TRAIN, :TRAIN] / TRAIN + penalty * np.eye(TRAIN)
        shown = gram[:, :TRAIN] @ np.linalg.solve(matrix, y[:TRAIN] / TRAIN)
        tried.append((np.mean((shown[TRAIN:] - y[TRAIN:]) ** 2), shown))
    return min(tried, key=lambda one: one[0])


def test_a_round_is_ridge_on_x_and_the_predictions_before(fit, sample):
    z, errors = sample.x.astype(np.float64), []
    for _ in range(3):
        error, shown = ridge_by_hand(z, sample.y)
        errors.append(error)
        scale = np.sqrt(8 * mean_square(sample.x) / mean_square(shown))
        z = np.concatenate([z, scale * shown[:, None]], axis=1)
    np.testing.assert_allclose(fit.record["round_errors"], errors, rtol=1e-6)
    np.testing.assert_allclose(fit.features(sample.x, level=3), z, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(fit.features(sample.x, level=0), sample.x)


def test_the_round_of_least_validation_error_is_the_fit(fit, sample):
    errors = np.asarray(fit.record["round_errors"])
    assert fit.record["round"] == np.argmin(errors) + 1
    missed = fit(sample.x)[TRAIN:] - sample.y[TRAIN:]
    np.testing.assert_allclose(np.mean(missed**2), errors.min(), rtol=1e-8)


def test_eigenfunctions_have_mean_square_one_and_are_orthogonal(sample, key):
    learner = SequentialKernels(
        RBF(1.0), 2, hand_on="eigenfunctions", features=5, gain=2.0, penalties=GRID
    )
    found = learner.fit(sample, key=key)
    columns = np.asarray(found.features(sample.x, level=1))[:, 8:]
    assert columns.shape == (N, 5)
    gram = columns[:TRAIN].T @ columns[:TRAIN] / TRAIN
    np.testing.assert_allclose(gram, np.eye(5) * 2 * 8 * mean_square(sample.x) / 5, atol=1e-6)


def test_a_square_of_a_square_is_learned_in_two_rounds(key):
    """(a·x)⁴: a quadratic kernel has no degree 4, and its square has."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(500, 4)).astype(np.float32)
    y = (x[:, 0] ** 2 + x[:, 1] ** 2 - 2) ** 2 + 2 * x[:, 0] ** 2
    fit = SequentialKernels(
        Polynomial(2), 3, hand_on="eigenfunctions", features=15, penalties=(1e-8, 1e-6, 1e-4)
    ).fit(Sample(x, y), key=key)
    errors = np.asarray(fit.record["round_errors"])
    assert errors[0] > 0.1 * np.var(y)
    assert errors[1:].min() < 1e-3 * errors[0]


def test_several_outputs_hand_on_a_column_each(sample, key):
    y = np.stack([sample.y, sample.x[:, 0]], axis=1)
    fit = SequentialKernels([RBF(0.5), RBF(1.0)], penalties=GRID).fit(Sample(sample.x, y), key=key)
    assert fit(sample.x).shape == (N, 2)
    assert fit.features(sample.x, level=1).shape == (N, 10)


def test_refuses_what_memory_cannot_hold(monkeypatch, key):
    monkeypatch.setattr(memory, "machine_bytes", lambda: 1000)
    with pytest.raises(InvalidInputError, match=r"GB are free. Take fewer samples.$"):
        SequentialKernels(RBF(1.0)).fit(Sample(np.zeros((50, 2)), np.arange(50.0)), key=key)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"rounds": 1}, "rounds must be a whole number of at least 2"),
        ({"features": 0}, "features must be"),
        ({"hand_on": "residuals"}, "hand_on must be"),
        ({"gain": 0.0}, "gain must be"),
    ],
)
def test_refuses(given, says):
    with pytest.raises(InvalidInputError, match=says):
        SequentialKernels(RBF(1.0), **given)
