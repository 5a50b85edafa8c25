"""Directions from a symmetric matrix: whitening, slices, and the network that uses them."""

import jax
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.learners import SAVE, SIR, PHd
from featlearn.learners._projected import found_directions, slice_of, whitened
from featlearn.learners._split import Rows, split_rows
from featlearn.samples import Sample

METHODS = {
    "PHd": PHd(8).matrix,
    "SIR": SIR(8, slices=5).matrix,
    "SAVE": SAVE(8, slices=5).matrix,
}


@pytest.fixture(scope="module")
def rows():
    """500 rows of three inputs, and 20 that do not exist."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(520, 3))
    y = x[:, :1] ** 3 + x[:, 1:2] ** 2 + 0.1 * rng.normal(size=(520, 1))
    x[500:], y[500:] = 1e3, 1e3
    return Rows(x, y, (np.arange(520) < 500).astype(np.float32))


def test_whitening_makes_the_covariance_one(rows):
    skew = np.array([[2.0, 0.0, 0.0], [1.0, 0.5, 0.0], [0.0, 1.0, 3.0]])
    x = rows.x @ skew + 5
    white, back = whitened(x, rows.weight)
    white = np.asarray(white)[:500]
    np.testing.assert_allclose(white.mean(0), 0, atol=1e-10)
    np.testing.assert_allclose(white.T @ white / 500, np.eye(3), atol=1e-10)
    np.testing.assert_allclose(back, np.asarray(back).T, atol=1e-12)
    np.testing.assert_allclose((x[:500] - x[:500].mean(0)) @ back, white, atol=1e-10)


def test_whitening_leaves_out_what_does_not_vary(rows):
    x = rows.x.copy()
    x[:, 2] = x[:, 0]
    white = np.asarray(whitened(x, rows.weight)[0])[:500]
    values = np.linalg.eigvalsh(white.T @ white / 500)
    np.testing.assert_allclose(values, [0, 1, 1], atol=1e-8)


@pytest.mark.parametrize("name", METHODS)
def test_whitened_directions_are_affine_invariant(name, rows):
    """x → xA takes a direction v to A⁻¹v; without whitening it does not."""
    a = np.array([[2.0, 0.3, 0.0], [0.0, 0.5, 0.4], [1.0, 0.0, 1.5]])
    find = jax.jit(
        lambda x, whiten: found_directions(METHODS[name], rows._replace(x=x), 1, whiten),
        static_argnums=1,
    )
    for whiten in (True, False):
        before, values = find(rows.x, whiten)
        after, same = find(rows.x @ a + 1, whiten)
        back = a @ np.asarray(after)[:, 0]
        off = 1 - abs(back @ np.asarray(before)[:, 0]) / np.linalg.norm(back)
        if whiten:
            assert off < 1e-10
            np.testing.assert_allclose(values, same, rtol=1e-6)
        else:
            assert off > 1e-3
        assert (np.diff(values) <= 0).all()


@pytest.mark.parametrize("slices", [2, 7, 10])
def test_slices_are_equal_and_ordered(slices):
    rng = np.random.default_rng(1)
    y = rng.normal(size=61)
    weight = (rng.uniform(size=61) < 0.9).astype(np.float64)
    members = np.asarray(slice_of(y, weight, slices))
    np.testing.assert_array_equal(members.sum(1), weight)
    sizes = members.sum(0)
    assert sizes.max() - sizes.min() <= 1
    order = np.argsort(y[weight > 0])
    which = members[weight > 0].argmax(1)[order]
    assert (np.diff(which) >= 0).all()


@pytest.fixture(scope="module")
def fit(easy, grid, key):
    return PHd(16, rank=2, penalties=grid).fit(easy.sample, key=key)


def test_neurons_see_the_directions_alone(fit, easy):
    split = split_rows(easy.sample)
    x = split.train.x.astype(np.float64)
    beta = x.T @ split.train.y / len(x)
    rest = split.train.y - np.mean(split.train.y) - x @ beta
    v, values = found_directions(PHd(8).matrix, split.train._replace(y=rest), 2, True)
    v = np.asarray(v)
    outside = fit.weight - np.asarray(fit.weight) @ v @ v.T
    assert np.abs(outside).max() < 1e-5
    np.testing.assert_allclose(fit.record["spectrum"], values, rtol=1e-6)
    assert fit.record["rank"] == 2
    both = v.T @ np.asarray(fit.directions())
    np.testing.assert_allclose(np.abs(np.linalg.det(both)), 1, atol=1e-5)
    assert np.linalg.norm(v.T @ easy.u) > 0.95


def test_its_head_is_ridge_on_what_the_linear_part_left(fit, easy, ridge, grid):
    x = easy.sample.x.astype(np.float64)
    h = np.maximum(x @ np.asarray(fit.weight).T + np.asarray(fit.bias), 0)
    rest = easy.sample.y - np.asarray(fit.constant) - x @ np.asarray(fit.linear)[:, 0]
    path = ridge(h, rest, grid)
    np.testing.assert_allclose(fit.constant, easy.sample.y[:320].mean(), rtol=1e-10)
    np.testing.assert_allclose(fit.record["validation"], path.errors, rtol=1e-5)
    np.testing.assert_allclose(
        fit(x), easy.sample.y - rest + h @ path.heads[path.best][:, 0], atol=1e-4
    )


@pytest.mark.parametrize("method", [PHd, SIR, SAVE])
def test_refuses(method, key):
    x = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(InvalidInputError, match="one output, got 2"):
        method(8).fit(Sample(x, x[:, :2]), key=key)
    with pytest.raises(InvalidInputError, match="dimension 3, got 4"):
        method(8, rank=4).fit(Sample(x, x[:, 0]), key=key)
    for rank in (0, 1.5, True):
        with pytest.raises(InvalidInputError, match="rank must be"):
            method(8, rank=rank)
    with pytest.raises(InvalidInputError, match="width must be"):
        method(0)
    if method is not PHd:
        for slices in (1, 2.5, True):
            with pytest.raises(InvalidInputError, match="slices must be"):
                method(8, slices=slices)
