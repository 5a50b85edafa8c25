"""Conjugate gradients against the decomposition, and the residual they report."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.kernels import NTK, RBF, Iterations, ridge_dual, ridge_iterative
from featlearn.memory import member_bytes

GRID = tuple(np.logspace(-6, 4, 11))
KERNEL = RBF(0.8)
N, N_V = 120, 40


@pytest.fixture(autouse=True, scope="module")
def _quick_compilation():
    """These programs run for milliseconds and compile for seconds."""
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


def drawn(seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(N + N_V, 3))
    y = np.stack([np.sin(2 * x[:, 0]), x[:, 1] ** 2], 1) + noise * rng.normal(size=(len(x), 2))
    return tuple(map(jnp.asarray, (x[:N], y[:N], x[N:], y[N:])))


def solve(data, how, grid, w, v, kernel):
    return ridge_iterative(kernel, *data, grid, jax.random.key(0), w, v, how)


compiled = jax.jit(solve)


def run(data, how, grid=GRID, kernel=KERNEL, w=None, v=None):
    """Weights and eleven λ always, so that few programs are compiled."""
    w = jnp.ones(len(data[0])) if w is None else w
    v = jnp.ones(len(data[2])) if v is None else v
    grid = jnp.asarray((*grid, *np.logspace(12, 14, 11 - len(grid))))
    return compiled(data, how, grid, w, v, kernel)


SMALL = Iterations(rank=60, steps=400, tolerance=1e-7)


@pytest.fixture(scope="module")
def data():
    return drawn()


@pytest.fixture(scope="module")
def gram(data):
    return np.asarray(KERNEL(data[0]))


@pytest.fixture(scope="module")
def whole(data, gram):
    cross = KERNEL(data[2], data[0])
    return jax.jit(ridge_dual, static_argnums=4)(gram, data[1], cross, data[3], GRID)


@pytest.fixture(scope="module")
def path(data):
    return run(data, SMALL)


def test_finds_what_the_decomposition_finds(path, whole):
    assert int(path.index) == int(whole.index)
    assert int(path.grid_edge) == 0
    np.testing.assert_allclose(path.coefficients, whole.coefficients, atol=1e-4)
    np.testing.assert_allclose(path.validation, whole.validation, rtol=1e-5)
    np.testing.assert_allclose(path.rounding, whole.rounding, rtol=0.1)
    size = float(whole.effective_dimension)
    assert abs(float(path.effective_dimension) - size) < 4 * np.sqrt(size) / 2
    np.testing.assert_allclose(path.condition, whole.condition, rtol=1)


def test_the_residual_is_that_of_the_coefficients(path, data, gram):
    """Recomputed from the Gram matrix, to its rounding."""
    b = np.asarray(data[1]) / N
    rest = b - gram @ path.coefficients / N - float(path.penalty) * np.asarray(path.coefficients)
    true = (np.linalg.norm(rest, axis=0) / np.linalg.norm(b, axis=0)).max()
    residual = float(path.details["residual"])
    assert residual <= SMALL.tolerance
    np.testing.assert_allclose(residual, true, rtol=1e-2, atol=3e-9)
    assert float(path.details["residuals"][int(path.index)]) == residual
    assert path.details["residuals"].max() <= SMALL.tolerance


def test_most_passes_are_in_single_precision(path):
    passes, singles = (int(path.details[name]) for name in ("passes", "passes_in_single"))
    assert passes / 2 < singles < passes


def test_a_hard_penalty_goes_on_in_double_precision(data):
    """At λ = 1e-8 float32 has no digits left to lower the residual with."""
    hard = Iterations(rank=60, steps=900, tolerance=1e-6)
    found = run(data, hard, grid=(1e-8,))
    assert float(found.details["residuals"][0]) <= 1e-6
    assert int(found.details["passes"]) - int(found.details["passes_in_single"]) > 50


def test_a_better_preconditioner_needs_fewer_passes(data):
    passes = [
        int(run(data, Iterations(rank=rank, steps=400), grid=(1e-4,)).details["passes"])
        for rank in (2, 60)
    ]
    assert passes[0] > 1.5 * passes[1]


def test_a_penalty_that_did_not_converge_is_not_chosen(data, whole):
    path = run(data, Iterations(rank=2, steps=12, tolerance=1e-6))
    residuals, errors = np.asarray(path.details["residuals"]), np.asarray(path.validation)
    assert np.nanmax(residuals) > 1e-6
    np.testing.assert_array_equal(np.isnan(errors), ~(residuals <= 1e-6))
    seen = np.isfinite(errors)
    np.testing.assert_allclose(errors[seen], np.asarray(whole.validation)[seen], rtol=1e-4)
    assert int(path.index) == np.nanargmin(errors)


def test_none_that_converged_is_said(data):
    path = run(data, Iterations(rank=2, steps=2, tolerance=1e-10), grid=np.logspace(-6, -2, 11))
    assert np.isnan(path.validation).all()
    assert not path.coefficients.any()
    assert np.isfinite(path.details["residuals"][-5:]).all()


def test_no_smaller_penalty_is_tried_after_a_worse_group(data, whole):
    grid = np.logspace(-14, -1, 11)
    path = run(data, Iterations(rank=60, steps=400), grid=grid)
    assert np.isnan(path.validation[0])
    assert np.isnan(path.details["residuals"][0])
    assert np.isfinite(path.validation[6:]).all()
    assert int(path.grid_edge) == 0


def test_large_penalties_cost_no_pass(data):
    path = run(data, Iterations(rank=60), grid=np.logspace(5, 15, 11))
    assert int(path.details["passes"]) == 0
    assert path.details["residuals"].max() <= 1e-4
    expected = np.mean(np.sum(np.asarray(data[3]) ** 2, axis=1))
    np.testing.assert_allclose(path.validation, expected, rtol=1e-3)


def test_a_network_kernel(data):
    kernel = NTK(2, bias_variance=0.2)
    path = run(data, Iterations(rank=60, tolerance=1e-6), grid=(0.01,), kernel=kernel)
    b = np.asarray(data[1]) / N
    matrix = np.asarray(kernel(data[0])) / N + 0.01 * np.eye(N)
    np.testing.assert_allclose(path.coefficients, np.linalg.solve(matrix, b), atol=1e-5)


def test_rows_of_weight_zero_do_not_exist(data):
    x, y, x_v, y_v = (np.array(part) for part in data)
    kept, seen = 90, 25
    w, v = (1.0 * (jnp.arange(rows) < real) for rows, real in ((N, kept), (N_V, seen)))
    x[kept:], y[kept:], y_v[seen:] = 50.0, 1e3, 1e3
    ours = run((x, y, x_v, y_v), SMALL, w=w, v=v)
    matrix = np.asarray(KERNEL(x[:kept])) / kept + float(ours.penalty) * np.eye(kept)
    alpha = np.linalg.solve(matrix, y[:kept] / kept)
    assert not ours.coefficients[kept:].any()
    np.testing.assert_allclose(ours.coefficients[:kept], alpha, atol=1e-4)
    error = np.mean(np.sum((KERNEL(x_v[:seen], x[:kept]) @ alpha - y_v[:seen]) ** 2, axis=1))
    np.testing.assert_allclose(ours.validation[int(ours.index)], error, rtol=1e-5)


def test_memory_does_not_follow_the_square_of_n():
    def needed(n):
        shapes = ((n, 3), (n, 1), (n // 5, 3), (n // 5, 1))
        arrays = [jax.ShapeDtypeStruct(shape, jnp.float64) for shape in shapes]

        def arrays_of(*data):
            return solve(data, Iterations(rank=50), (1e-2, 1e-3), None, None, KERNEL).coefficients

        return member_bytes(arrays_of, *arrays)

    assert needed(80_000) < 2.5 * needed(40_000)
    assert needed(80_000) < 8 * 80_000**2 / 100
