"""(A + λI)⁻¹b by both routes against numpy, and against one another."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.kernels._shifted import Spectral, Tridiagonal, route, shifted, spectral, tridiagonal

SHIFTS = jnp.logspace(-6, 6, 20)
solve = jax.jit(lambda factor, b, shifts: factor.solve(b, shifts))
both_routes = pytest.mark.parametrize("decompose", [tridiagonal, spectral])


def positive(n, seed=0, rank=None):
    h = np.random.default_rng(seed).normal(size=(n, rank or n + 5))
    return h @ h.T / h.shape[1]


def right_side(n, k=2):
    return np.random.default_rng(n).normal(size=(n, k))


@both_routes
@pytest.mark.parametrize("n", [1, 2, 3, 17])
def test_solves_for_every_shift(decompose, n):
    a, b = positive(n), right_side(n)
    ours = solve(decompose(jnp.asarray(a)), jnp.asarray(b), SHIFTS)
    expected = [np.linalg.solve(a + shift * np.eye(n), b) for shift in np.asarray(SHIFTS)]
    np.testing.assert_allclose(ours, expected, rtol=1e-9)


@both_routes
@pytest.mark.parametrize(("n", "rank"), [(1, None), (17, None), (17, 4)])
def test_effective_dimension_is_that_of_the_eigenvalues(decompose, n, rank):
    a = positive(n, rank=rank)
    eigenvalues = np.linalg.eigvalsh(a)
    factor = decompose(jnp.asarray(a))
    for shift in (1e-4, 0.1, 3.0, 1e8):
        expected = np.sum(eigenvalues / (eigenvalues + shift))
        np.testing.assert_allclose(factor.effective_dimension(shift), expected, rtol=1e-6)


def test_the_routes_are_equal():
    """For b in the range of a singular A: there both solve at any shift above rounding."""
    a = positive(23, rank=9)
    b = jnp.asarray(a @ right_side(23))
    one, two = (f(jnp.asarray(a)) for f in (tridiagonal, spectral))
    np.testing.assert_allclose(solve(one, b, SHIFTS), solve(two, b, SHIFTS), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(one.rounding(), two.rounding(), rtol=1e-9)
    sizes = [f.effective_dimension(0.1) for f in (one, two)]
    np.testing.assert_allclose(*sizes, rtol=1e-9)


@both_routes
def test_a_shift_below_rounding_is_solved_as_rounding(decompose):
    a = jnp.asarray(positive(12, rank=3))
    factor = decompose(a)
    b = jnp.asarray(right_side(12))
    floor = 12 * np.finfo(np.float64).eps * np.linalg.norm(a)
    np.testing.assert_allclose(factor.rounding(), floor, rtol=1e-9)
    tiny = solve(factor, b, jnp.array([0.0, 1e-30, 0.99 * floor]))
    assert np.all(np.isfinite(tiny))
    np.testing.assert_allclose(tiny[0], tiny[1], rtol=1e-12)
    np.testing.assert_allclose(tiny[0], tiny[2], rtol=1e-12)


@both_routes
def test_reads_the_lower_triangle_only(decompose):
    a, b = positive(6), jnp.asarray(right_side(6))
    spoiled = jnp.asarray(np.tril(a) + np.triu(np.full((6, 6), np.pi), 1))
    np.testing.assert_allclose(
        solve(decompose(spoiled), b, SHIFTS), solve(decompose(jnp.asarray(a)), b, SHIFTS), rtol=1e-9
    )


@both_routes
def test_of_the_zero_matrix(decompose):
    factor = decompose(jnp.zeros((4, 4)))
    b = jnp.asarray(right_side(4))
    np.testing.assert_allclose(solve(factor, b, SHIFTS)[3], b / SHIFTS[3], rtol=1e-14)
    assert float(factor.effective_dimension(1e-10)) == 0.0


@both_routes
def test_in_a_batch(decompose):
    a = jnp.stack([jnp.asarray(positive(8, seed)) for seed in range(3)])
    b = jnp.asarray(right_side(8))
    run = jax.jit(jax.vmap(lambda a: decompose(a).solve(b, SHIFTS)))
    for each, matrix in zip(run(a), a, strict=True):
        np.testing.assert_allclose(each, solve(decompose(matrix), b, SHIFTS), rtol=1e-9)


def test_the_route_follows_the_backend(monkeypatch):
    assert route("cpu") is tridiagonal
    assert route("gpu") is spectral
    assert route("tpu") is spectral
    a = jnp.asarray(positive(3))
    for backend, kind in (("cpu", Tridiagonal), ("gpu", Spectral)):
        monkeypatch.setattr(jax, "default_backend", lambda backend=backend: backend)
        assert isinstance(shifted(a), kind)
