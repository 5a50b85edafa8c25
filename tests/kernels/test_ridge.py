"""Ridge for every λ against numpy, scikit-learn, and primal against dual."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.linear_model import Ridge

from featlearn.kernels import PENALTIES, RBF, ridge_dual, ridge_primal
from featlearn.kernels.ridge import average, moments

LAMBDAS = np.logspace(-5, 4, 20)


class Data:
    """Features, two outputs, and validation rows."""

    def __init__(self, n=40, m=6, k=2, noise=2.0, seed=0):
        rng = np.random.default_rng(seed)
        self.h, self.h_v = rng.normal(size=(n, m)), rng.normal(size=(25, m))
        truth = rng.normal(size=(m, k))
        self.y = self.h @ truth + noise * rng.normal(size=(n, k))
        self.y_v = self.h_v @ truth + noise * rng.normal(size=(25, k))

    def coefficients(self, penalty):
        n, m = self.h.shape
        return np.linalg.solve(self.h.T @ self.h / n + penalty * np.eye(m), self.h.T @ self.y / n)

    def error(self, penalty):
        return np.mean(np.sum((self.h_v @ self.coefficients(penalty) - self.y_v) ** 2, axis=1))


@jax.jit
def from_rows(train, validation, penalties):
    return ridge_primal(average(moments(*train)), average(moments(*validation)), penalties)


from_gram = jax.jit(ridge_dual)


def primal(data, penalties=LAMBDAS, w=None, w_v=None):
    w = np.ones(len(data.h)) if w is None else w
    w_v = np.ones(len(data.h_v)) if w_v is None else w_v
    return from_rows((data.h, data.y, w), (data.h_v, data.y_v, w_v), jnp.asarray(penalties))


def dual(data, penalties=LAMBDAS, **weights):
    arrays = (data.h @ data.h.T, data.y, data.h_v @ data.h.T, data.y_v)
    return from_gram(*arrays, jnp.asarray(penalties), **weights)


@pytest.fixture(scope="module")
def data():
    return Data()


@pytest.mark.parametrize("penalty", LAMBDAS)
def test_coefficients_equal_a_solve_for_each_penalty(data, penalty):
    expected = data.coefficients(penalty)
    found = primal(data, [penalty])
    np.testing.assert_allclose(found.coefficients, expected, rtol=1e-9)
    np.testing.assert_allclose(data.h.T @ dual(data, [penalty]).coefficients, expected, rtol=1e-9)
    wrong = data.coefficients(1.01 * penalty + 0.001)
    assert not np.allclose(found.coefficients, wrong, rtol=1e-6)


@pytest.mark.parametrize("solve", [primal, dual])
def test_validation_errors_equal_explicit_ones(data, solve):
    path = solve(data)
    errors = [data.error(penalty) for penalty in LAMBDAS]
    np.testing.assert_allclose(path.validation, errors, rtol=1e-9)
    assert int(path.index) == int(np.argmin(errors))
    assert float(path.penalty) == LAMBDAS[int(path.index)]
    np.testing.assert_array_equal(path.penalties, LAMBDAS)
    assert int(path.grid_edge) == 0
    assert set(path.record()) == {
        "penalty", "penalties", "validation", "grid_edge", "effective_dimension", "rounding",
        "condition",
    }  # fmt: skip


@pytest.mark.parametrize("solve", [primal, dual])
def test_grid_edge_says_which_end(data, solve):
    best = float(solve(data).penalty)
    assert int(solve(data, np.array([10.0, 30.0, 100.0]) * best).grid_edge) == -1
    assert int(solve(data, np.array([0.001, 0.01, 0.1]) * best).grid_edge) == 1


@pytest.mark.parametrize("solve", [primal, dual])
def test_effective_dimension_is_that_of_the_eigenvalues(data, solve):
    path = solve(data)
    eigenvalues = np.linalg.eigvalsh(data.h.T @ data.h / len(data.h))
    expected = np.sum(eigenvalues / (eigenvalues + float(path.penalty)))
    np.testing.assert_allclose(path.effective_dimension, expected, rtol=1e-9)


@pytest.mark.parametrize("solve", [primal, dual])
@pytest.mark.parametrize("penalty", [1e-9, 0.1, 10.0])
def test_the_condition_is_bounded(solve, penalty):
    """A Gram matrix with more rows than features is singular, HᵀH/n is not."""
    data = Data(noise=0.1)
    path = solve(data, [penalty])
    matrix = data.h.T @ data.h if solve is primal else data.h @ data.h.T
    true = np.linalg.cond(matrix / len(data.h) + penalty * np.eye(len(matrix)))
    assert true * (1 - 1e-4) <= float(path.condition) <= len(matrix) ** 1.5 * true
    norm = np.linalg.norm(matrix / len(data.h))
    floor = len(matrix) * np.finfo(np.float64).eps * norm
    np.testing.assert_allclose(path.rounding, floor, rtol=1e-9)


def test_linear_kernel_ridge_is_scikit_learns_ridge(data):
    path = dual(data)
    theirs = Ridge(alpha=float(path.penalty) * len(data.h), fit_intercept=False)
    expected = theirs.fit(data.h, data.y).predict(data.h_v)
    np.testing.assert_allclose(data.h_v @ data.h.T @ path.coefficients, expected, rtol=1e-9)


def _kept(data, train, validation):
    kept = Data()
    kept.h, kept.y = data.h[train], data.y[train]
    kept.h_v, kept.y_v = data.h_v[validation], data.y_v[validation]
    return kept


def test_rows_of_weight_zero_do_not_exist(data):
    """Rows from the middle and the end, with values that would be seen if they counted."""
    rng = np.random.default_rng(4)
    train, validation = rng.random(40) < 0.7, rng.random(25) < 0.7
    train[0] = False
    spoiled = _kept(data, slice(None), slice(None))
    spoiled.h = np.where(train[:, None], data.h, 1e3)
    spoiled.y = np.where(train[:, None], data.y, -1e3)
    spoiled.y_v = np.where(validation[:, None], data.y_v, 1e3)
    w, v = jnp.asarray(train, jnp.float32), jnp.asarray(validation, jnp.float32)
    small = _kept(data, train, validation)
    for ours, expected in (
        (primal(spoiled, w=w, w_v=v), primal(small)),
        (dual(spoiled, weight=w, weight_validation=v), dual(small)),
    ):
        np.testing.assert_allclose(ours.validation, expected.validation, rtol=1e-9)
        np.testing.assert_allclose(
            ours.effective_dimension, expected.effective_dimension, rtol=1e-9
        )
        np.testing.assert_allclose(ours.condition, expected.condition, rtol=1e-9)
        coefficients = np.asarray(ours.coefficients)
        if len(coefficients) == len(train):
            np.testing.assert_array_equal(coefficients[~train], 0.0)
            coefficients = coefficients[train]
        np.testing.assert_allclose(coefficients, expected.coefficients, rtol=1e-9)


@pytest.mark.parametrize("solve", [primal, dual])
def test_singular_systems_interpolate_where_they_can(solve):
    """More features than samples: λ → 0 gives the solution of least norm, to order λ.

    On the primal side rounding of the null space comes back divided by λ.
    """
    data = Data(n=12, m=20, noise=0.0)
    found = solve(data, [1e-8]).coefficients
    found = found if solve is primal else data.h.T @ found
    np.testing.assert_allclose(found, np.linalg.pinv(data.h) @ data.y, atol=3e-6)


@pytest.mark.parametrize("solve", [primal, dual])
def test_doubled_rows_and_zero_features_stay_finite(solve):
    data = Data(n=30, m=4)
    data.h[:, 2] = data.h[:, 1]
    data.h[15:] = data.h[:15]
    for features in (data.h, 0 * data.h):
        data.h = features
        path = solve(data, PENALTIES)
        for leaf in jax.tree.leaves(path):
            assert np.all(np.isfinite(leaf))
    np.testing.assert_allclose(path.validation, np.mean(np.sum(data.y_v**2, axis=1)), rtol=1e-9)
    assert float(path.effective_dimension) == 0.0


@pytest.mark.parametrize("solve", [primal, dual])
@pytest.mark.parametrize(("n", "m"), [(1, 3), (2, 2), (1, 1)])
def test_the_smallest_systems(solve, n, m):
    data = Data(n=n, m=m, k=1)
    path = solve(data, [0.3])
    found = path.coefficients if solve is primal else data.h.T @ path.coefficients
    np.testing.assert_allclose(found, data.coefficients(0.3), rtol=1e-9)
    np.testing.assert_allclose(path.validation[0], data.error(0.3), rtol=1e-9)


def test_no_row_at_all_gives_zero():
    data = Data(n=10, m=3)
    for path in (primal(data, w=np.zeros(10)), dual(data, weight=jnp.zeros(10))):
        np.testing.assert_array_equal(path.coefficients, 0.0)
        assert np.all(np.isfinite(path.validation))


@pytest.mark.parametrize("solve", [primal, dual])
def test_a_batch_equals_one_by_one(solve):
    """Under jit and vmap, with coefficients of their own λ."""
    members = [Data(seed=s, noise=noise) for s, noise in ((1, 0.1), (2, 3.0))]
    one = [solve(d) for d in members]
    assert float(one[0].penalty) != float(one[1].penalty)
    fields = ("h", "y", "h_v", "y_v")
    stacked = {f: jnp.stack([jnp.asarray(getattr(d, f)) for d in members]) for f in fields}

    def of(arrays):
        if solve is primal:
            pairs = (("h", "y"), ("h_v", "y_v"))
            sums = [moments(arrays[h], arrays[y], jnp.ones(len(arrays[h]))) for h, y in pairs]
            return ridge_primal(*map(average, sums), tuple(LAMBDAS))
        h, y, h_v, y_v = (arrays[f] for f in fields)
        return ridge_dual(h @ h.T, y, h_v @ h.T, y_v, tuple(LAMBDAS))

    together = jax.jit(jax.vmap(of))(stacked)
    for i, alone in enumerate(one):
        np.testing.assert_allclose(together.validation[i], alone.validation, rtol=1e-9)
        np.testing.assert_allclose(together.coefficients[i], alone.coefficients, rtol=1e-7)
        assert int(together.grid_edge[i]) == int(alone.grid_edge)


def test_a_kernel_of_full_rank_interpolates_at_the_smallest_penalty():
    x = jnp.asarray(np.random.default_rng(0).normal(size=(20, 3)))
    y = jnp.sin(3 * x[:, :1])
    gram = RBF(0.3)(x)
    path = from_gram(gram, y, gram, y, (1e-10, 1e-2, 1.0))
    assert int(path.grid_edge) == -1
    np.testing.assert_allclose(gram @ path.coefficients, y, atol=1e-6)
