"""Exact kernel ridge against NumPy, and the choice among kernels."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn import memory
from featlearn.errors import InvalidInputError
from featlearn.kernels import NTK, RBF, ArcCosine, Conjugate, Iterations, Kernel, Polynomial
from featlearn.learners import KernelRidge, _dual, kernel_ridge
from featlearn.learners._dual import gram_bytes
from featlearn.samples import Sample

GRID = (1e-3, 1e-2, 1e-1, 1.0)
CANDIDATES = [RBF(0.3), RBF(0.7), RBF(2.0)]


@pytest.fixture(scope="module")
def sample(easy):
    return Sample(easy.sample.x[:150], easy.sample.y[:150])


def by_hand(kernel, sample, n=150):
    """Coefficients (l, n) and validation errors (l,)."""
    x, y = sample.x[:n].astype(np.float64), sample.y[:n]
    cut = n - n // 5
    gram = np.asarray(kernel(x))
    inner, cross = gram[:cut, :cut], gram[cut:, :cut]
    alphas = [np.linalg.solve(inner / cut + v * np.eye(cut), y[:cut] / cut) for v in GRID]
    return alphas, np.array([np.mean((cross @ a - y[cut:]) ** 2) for a in alphas])


@pytest.fixture(scope="module")
def tuned():
    return KernelRidge(CANDIDATES, penalties=GRID)


@pytest.fixture(scope="module")
def fit(tuned, sample, key):
    return tuned.fit(sample, key=key)


def test_chooses_the_kernel_and_lambda_of_least_validation_error(fit, sample):
    paths = [by_hand(kernel, sample) for kernel in CANDIDATES]
    least = [errors.min() for _, errors in paths]
    best = int(np.argmin(least))
    alphas, errors = paths[best]
    assert fit.record["candidate"] == best == 1
    np.testing.assert_allclose(fit.record["candidate_errors"], least, rtol=1e-8)
    np.testing.assert_allclose(fit.record["validation"], errors, rtol=1e-8)
    assert fit.record["penalty"] == GRID[np.argmin(errors)]
    alpha = alphas[int(np.argmin(errors))]
    np.testing.assert_allclose(fit.coefficients[:, 0], alpha, atol=1e-8 * np.abs(alpha).max())
    np.testing.assert_allclose(fit.kernel.bandwidth, CANDIDATES[best].bandwidth)


def test_predicts_and_shows_the_gram_matrix(fit, sample, easy):
    new = easy.sample.x[200:220]
    gram = np.asarray(CANDIDATES[1](new, sample.x[:120]))
    np.testing.assert_allclose(fit.features(new), gram, rtol=1e-10)
    np.testing.assert_allclose(fit(new), gram @ np.asarray(fit.coefficients)[:, 0], rtol=1e-8)
    np.testing.assert_array_equal(fit.features(new, level=0), new)
    with pytest.raises(InvalidInputError, match="levels 0…1"):
        fit.features(new, level=2)
    with pytest.raises(InvalidInputError, match=r"shape \(n, 8\)"):
        fit(new[:, :5])


def test_padded_rows_get_coefficient_zero(tuned, sample, key):
    """99 rows and 51 more that repeat the first ones: as if they were not there."""
    x, y = sample.x.copy(), sample.y.copy()
    x[99:], y[99:] = x[:51], 7.0
    run = eqx.filter_jit(lambda s: tuned.fit_arrays(s, key))
    padded = run(Sample(jnp.asarray(x), jnp.asarray(y), jnp.asarray(99)))
    assert not padded.coefficients[80:].any()
    alphas, errors = by_hand(padded.kernel, sample, n=99)
    alpha = alphas[int(np.argmin(errors))]
    np.testing.assert_allclose(padded.record["validation"], errors, rtol=1e-7)
    np.testing.assert_allclose(padded.coefficients[:80, 0], alpha, atol=1e-7 * np.abs(alpha).max())


def test_a_linear_kernel_is_ridge(easy, key, ridge, sample):
    """K = ⟨x, y⟩/d is ridge on x/√d."""
    learner = KernelRidge(Polynomial(1, offset=0.0), penalties=GRID)
    y = np.stack([sample.y, sample.x[:, 0] + sample.x[:, 1]], axis=1)
    fit = learner.fit(Sample(sample.x, y), key=key)
    path = ridge(sample.x / np.sqrt(8), y, GRID)
    np.testing.assert_allclose(fit.record["validation"], path.errors, rtol=1e-5)
    wanted = easy.sample.x[200:] @ path.heads[path.best] / np.sqrt(8)
    np.testing.assert_allclose(fit(easy.sample.x[200:]), wanted, atol=1e-5)


def test_numbers_of_kernels_keep_their_digits_in_a_32_bit_session():
    jax.config.update("jax_enable_x64", False)
    try:
        stacked = KernelRidge([RBF(0.1), RBF(0.7)]).kernels
    finally:
        jax.config.update("jax_enable_x64", True)
    np.testing.assert_array_equal(np.asarray(stacked.bandwidth), [0.1, 0.7])


@pytest.mark.parametrize(
    "kernels", [[RBF(1.0), NTK(1)], [Polynomial(2), Polynomial(3)], [NTK(1), NTK(2)]]
)
def test_refuses_candidates_of_different_forms(kernels):
    with pytest.raises(InvalidInputError, match="KernelRidge of their own"):
        KernelRidge(kernels)


@pytest.mark.parametrize("kernels", [[], ["rbf"], "rbf", RBF, [RBF(1.0), None]])
def test_refuses_what_is_no_kernel(kernels):
    with pytest.raises(InvalidInputError, match="takes a kernel or a sequence of kernels"):
        KernelRidge(kernels)


class Indefinite(Kernel):
    def between(self, x, y):
        return jnp.sin(7 * (x @ y.T))

    def at(self, x):
        return jnp.sin(7 * (x**2).sum(1))


def test_refuses_a_matrix_that_is_not_positive_definite(sample, key):
    with pytest.raises(InvalidInputError, match=r"Indefinite is not positive .* an eigenvalue"):
        KernelRidge(Indefinite()).fit(sample, key=key)


def test_a_kernel_without_numbers_of_its_own_is_fitted(sample, key, grid):
    order, same = ArcCosine(1), Conjugate(1, weight_variance=1.0)
    one = KernelRidge(order, penalties=grid).fit(sample, key=key)
    other = KernelRidge(same, penalties=tuple(g / 2 for g in grid)).fit(sample, key=key)
    # Its Gram matrix is twice the other's, which has an output weight of variance 1.
    np.testing.assert_allclose(one.record["validation"], other.record["validation"], rtol=1e-6)


@pytest.mark.parametrize("penalties", [1.0, (), (1.0, float("nan")), ("a",), (-1.0,)])
def test_refuses_penalties_that_are_none(penalties):
    with pytest.raises(InvalidInputError, match="penalties must be a non-empty tuple"):
        KernelRidge(RBF(1.0), penalties=penalties)


def unstarted(monkeypatch):
    def started(*_):
        raise AssertionError("the fit started")

    monkeypatch.setattr(kernel_ridge, "fit_checked", started)


@pytest.mark.parametrize("solver", ["exact", "cholesky"])
def test_refuses_what_memory_cannot_hold_before_it_starts(solver, monkeypatch, sample, key):
    unstarted(monkeypatch)
    monkeypatch.setattr(memory, "machine_bytes", lambda: gram_bytes(150) - 1)
    says = rf"{solver.capitalize()} kernel ridge on 150 samples needs .*'iterative', or Random"
    with pytest.raises(InvalidInputError, match=says):
        KernelRidge(RBF(1.0), solver=solver).fit(sample, key=key)
    monkeypatch.setattr(memory, "machine_bytes", lambda: gram_bytes(150))
    with pytest.raises(AssertionError, match="the fit started"):
        KernelRidge(RBF(1.0), solver=solver).fit(sample, key=key)


def test_refuses_what_even_the_iterative_solver_cannot_hold(monkeypatch, sample, key):
    unstarted(monkeypatch)
    monkeypatch.setattr(memory, "machine_bytes", lambda: 1000)
    with pytest.raises(InvalidInputError, match=r"Iterative .* smaller rank or group"):
        KernelRidge(RBF(1.0)).fit(sample, key=key)


@pytest.mark.parametrize(
    ("n", "backend", "free", "solver"),
    [
        (10_000, "cpu", 2**34, "exact"),
        (10_001, "cpu", 2**40, "iterative"),
        (10_000, "cpu", 2**30, "iterative"),
        (50_000, "gpu", 2**37, "cholesky"),
        (50_000, "gpu", 2**34, "iterative"),
        (50_001, "gpu", 2**40, "iterative"),
        (2000, "gpu", 2**34, "exact"),
    ],
)
def test_the_solver_follows_size_memory_and_backend(n, backend, free, solver, monkeypatch):
    monkeypatch.setattr(jax, "default_backend", lambda: backend)
    monkeypatch.setattr(_dual, "device_bytes", lambda: free)
    assert KernelRidge(RBF(1.0)).rule.solver_for(n) == solver
    assert KernelRidge(RBF(1.0), solver="exact").rule.solver_for(n) == "exact"


@pytest.mark.parametrize("solver", ["cholesky", "iterative"])
def test_every_solver_finds_the_same(solver, fit, sample, key):
    iterations = Iterations(tolerance=1e-9, rank=60, steps=300)
    learner = KernelRidge(CANDIDATES, penalties=GRID, solver=solver, iterations=iterations)
    other = learner.fit(sample, key=key)
    assert (fit.solver, other.solver) == ("exact", solver)
    assert other.record["candidate"] == fit.record["candidate"]
    assert other.record["penalty"] == fit.record["penalty"]
    np.testing.assert_allclose(other(sample.x), fit(sample.x), atol=1e-6)


def test_penalties_that_no_iteration_solves_are_refused_with_the_remedy(sample, key):
    iterations = Iterations(tolerance=1e-12, rank=1, steps=3)
    learner = KernelRidge(RBF(1.0), penalties=GRID, solver="iterative", iterations=iterations)
    with pytest.raises(InvalidInputError, match=r"residual of 1e-12 within 3 passes .*Raise steps"):
        learner.fit(sample, key=key)


def test_refuses_an_unknown_solver():
    with pytest.raises(InvalidInputError, match="solver must be 'auto' or one of 'exact'"):
        KernelRidge(RBF(1.0), solver="lu")


def test_its_estimate_is_near_the_traced_programs(key):
    n = 2000
    learner = KernelRidge(RBF(1.0), penalties=GRID)

    def arrays(x, y):
        return eqx.filter(learner.fit_arrays(Sample(x, y), key), eqx.is_array)

    x = jax.ShapeDtypeStruct((n, 8), jnp.float32)
    y = jax.ShapeDtypeStruct((n,), jnp.float64)
    assert 0.5 < gram_bytes(n) / memory.member_bytes(arrays, x, y) < 2
