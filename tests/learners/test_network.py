"""A fitted network: predictions, features, directions, transfer, several outputs."""

import equinox as eqx
import jax
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.samples import Sample


def hidden(fit, x):
    return np.maximum(x.astype(np.float64) @ np.asarray(fit.weight).T + np.asarray(fit.bias), 0)


def test_predictions_and_features_are_the_formula(fitted, easy):
    x = easy.sample.x
    h = hidden(fitted, x)
    np.testing.assert_allclose(fitted.features(x), h, atol=1e-5)
    np.testing.assert_array_equal(fitted.features(x, level=0), x)
    wanted = np.asarray(fitted.constant) + x @ np.asarray(fitted.linear) + h @ fitted.head
    np.testing.assert_allclose(fitted(x), wanted[:, 0], atol=1e-5)


@pytest.mark.parametrize("level", [-1, 2])
def test_refuses_a_level_it_does_not_have(level, fitted, easy):
    with pytest.raises(InvalidInputError, match="levels 0…1"):
        fitted.features(easy.sample.x, level=level)


def test_refuses_other_columns(fitted, easy):
    for x in (easy.sample.x[:, :3], easy.sample.x[0]):
        for use in (fitted, fitted.features):
            with pytest.raises(InvalidInputError, match=r"shape \(n, 8\)"):
                use(x)


def test_transfer_fits_a_head_alone(fitted, other, key, ridge, grid):
    moved = fitted.transfer(other, key=key)
    path = ridge(hidden(fitted, other.x), other.y, grid)
    np.testing.assert_allclose(moved.record["validation"], path.errors, rtol=1e-5)
    assert moved.record["penalty"] == grid[path.best]
    wanted = path.heads[path.best]
    np.testing.assert_allclose(moved.head, wanted, atol=1e-4 * np.abs(wanted).max())
    assert not moved.linear.any()
    assert not moved.constant.any()
    assert np.array_equal(moved.weight, fitted.weight)
    assert moved(other.x).shape == (150, 2)
    assert fitted(other.x).shape == (150,)


def test_a_transfer_to_flat_labels_is_flat(fitted, other, key):
    sample = Sample(other.x, other.y[:, 0])
    moved = eqx.filter_eval_shape(fitted.transfer_arrays, sample, key)
    assert moved.flat
    assert moved.head.shape == (32, 1)
    assert moved.linear.shape == (8, 1)


def test_transfer_refuses_what_no_fit_can_use(fitted, easy, key):
    with pytest.raises(InvalidInputError, match="constant target"):
        fitted.transfer(Sample(easy.sample.x, np.ones(400)), key=key)


def test_outputs_share_one_lambda(random_fit, other, ridge, grid):
    """The head of an output is ridge on it alone, at the λ that is best for their sum."""
    fit = random_fit
    h = hidden(fit, other.x)
    path = ridge(h, other.y, grid)
    alone = [ridge(h, other.y[:, j], grid) for j in range(2)]
    assert fit.record["penalty"] == grid[path.best]
    np.testing.assert_allclose(fit.record["validation"], sum(one.errors for one in alone), 1e-5)
    for j, one in enumerate(alone):
        wanted = one.heads[path.best][:, 0]
        np.testing.assert_allclose(fit.head[:, j], wanted, atol=1e-4 * np.abs(wanted).max())
    assert alone[0].best != path.best


def test_the_network_compiles_and_differentiates(fitted, easy):
    x = easy.sample.x[:3]
    slope = jax.grad(lambda x: fitted(x).sum())(x)
    step = 1e-3 * np.eye(8, dtype=np.float32)[0]
    change = (np.asarray(fitted(x + step)) - np.asarray(fitted(x - step))) / 2e-3
    np.testing.assert_allclose(slope[:, 0], change, atol=2e-2 * np.abs(slope).max())
