"""The search by Cholesky against the decomposition that serves every λ."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.kernels import RBF, ridge_cholesky, ridge_dual
from featlearn.kernels.ridge_cholesky import edge, search

GRID = tuple(np.logspace(-7, 3, 41))
both = [jax.jit(solve, static_argnums=4) for solve in (ridge_cholesky, ridge_dual)]


class Data:
    def __init__(self, n=60, seed=0, noise=0.3):
        rng = np.random.default_rng(seed)
        x = jnp.asarray(rng.normal(size=(n + 30, 3)))
        y = np.stack([np.sin(2 * x[:, 0]), x[:, 1] ** 2], 1) + noise * rng.normal(size=(n + 30, 2))
        kernel = RBF(0.8)
        self.arrays = (kernel(x[:n]), y[:n], kernel(x[n:], x[:n]), y[n:])


@pytest.fixture(scope="module")
def data():
    return Data()


def test_finds_what_the_whole_grid_finds(data):
    ours, whole = (solve(*data.arrays, GRID) for solve in both)
    assert int(ours.index) == int(whole.index)
    assert float(ours.penalty) == float(whole.penalty)
    np.testing.assert_allclose(ours.coefficients, whole.coefficients, rtol=1e-7)
    for name in ("effective_dimension", "rounding", "condition"):
        np.testing.assert_allclose(getattr(ours, name), getattr(whole, name), rtol=1e-7)
    assert int(ours.grid_edge) == int(whole.grid_edge) == 0


def test_every_error_given_is_real_and_the_rest_are_nan(data):
    ours, whole = (solve(*data.arrays, GRID) for solve in both)
    seen = ~np.isnan(np.asarray(ours.validation))
    assert 8 <= seen.sum() <= 20
    np.testing.assert_allclose(ours.validation[seen], whole.validation[seen], rtol=1e-8)
    best = int(ours.index)
    assert seen[best - 1 : best + 2].all()


def test_the_order_of_the_grid_does_not_matter(data):
    shuffled = tuple(np.random.default_rng(0).permutation(GRID))
    ours, again = (both[0](*data.arrays, grid) for grid in (GRID, shuffled))
    assert float(ours.penalty) == float(again.penalty) == shuffled[int(again.index)]
    order = np.argsort(shuffled)
    np.testing.assert_allclose(again.validation[order], ours.validation, rtol=1e-10)


@pytest.mark.parametrize(("grid", "side"), [((10.0, 100.0, 1e3), -1), ((1e-9, 1e-8, 1e-7), 1)])
def test_grid_edge_says_which_end(data, grid, side):
    assert int(both[0](*data.arrays, grid).grid_edge) == side


@pytest.mark.parametrize("count", [1, 2, 3, 15, 16, 100])
def test_the_search_reaches_the_least_of_a_convex_curve(count):
    for least in {0, count // 3, count - 1}:
        tried = jax.jit(
            lambda least: search(
                lambda i: (i * jnp.ones((1, 1)), (i - least) ** 2.0), count, jnp.zeros((1, 1))
            )
        )(least)
        assert float(tried.best) == 0
        assert float(tried.coefficients[0, 0]) == least
        assert np.isfinite(tried.errors).sum() <= 24


def test_a_matrix_that_is_not_positive_definite_is_never_chosen(data):
    gram, *rest = data.arrays
    wrong = gram - 0.5 * jnp.eye(gram.shape[0])
    path = both[0](wrong, *rest, GRID)
    assert np.isfinite(path.validation[int(path.index)])
    assert np.isfinite(path.coefficients).all()
    assert np.isinf(path.validation[0])


def test_edges():
    nan, inf = np.nan, np.inf
    for errors, wanted in (
        ([nan, 1.0, 2.0], -1),
        ([inf, 1.0, 2.0], -1),
        ([2.0, 1.0, nan], 1),
        ([3.0, nan, 1.0, 2.0], 0),
    ):
        assert int(edge(jnp.asarray(errors))) == wanted


def test_rows_of_weight_zero_do_not_exist(data):
    gram, y, cross, y_v = data.arrays
    kept, seen = 45, 20
    small = both[0](gram[:kept, :kept], y[:kept], cross[:seen, :kept], y_v[:seen], GRID)
    w = (jnp.arange(60) < kept).astype(jnp.float32)
    v = (jnp.arange(30) < seen).astype(jnp.float32)
    ours = both[0](gram, y, cross, y_v, GRID, w, v)
    assert not ours.coefficients[kept:].any()
    np.testing.assert_allclose(ours.coefficients[:kept], small.coefficients, rtol=1e-7)
    for name in ("penalty", "validation", "effective_dimension", "condition"):
        np.testing.assert_allclose(getattr(ours, name), getattr(small, name), rtol=1e-7)


def test_a_batch_equals_one_by_one():
    members = [Data(seed=s, noise=noise) for s, noise in ((1, 0.05), (2, 1.0))]
    alone = [both[0](*d.arrays, GRID) for d in members]
    assert float(alone[0].penalty) != float(alone[1].penalty)
    stacked = [jnp.stack(arrays) for arrays in zip(*(d.arrays for d in members), strict=True)]
    together = jax.jit(jax.vmap(lambda *a: ridge_cholesky(*a, GRID)))(*stacked)
    for i, one in enumerate(alone):
        np.testing.assert_allclose(together.coefficients[i], one.coefficients, rtol=1e-7)
        assert int(together.index[i]) == int(one.index)
