"""Inner products and distances between rows against loops."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.kernels._geometry import (
    inner_products,
    safe_sqrt,
    squared_distances,
    squared_norms,
)


def test_equal_loops_over_pairs(points):
    x, y = points
    ours = [f(jnp.asarray(x), jnp.asarray(y)) for f in (inner_products, squared_distances)]
    products = [[np.mean(u * v) for v in y] for u in x]
    distances = [[np.mean((u - v) ** 2) for v in y] for u in x]
    np.testing.assert_allclose(ours[0], products, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(ours[1], distances, rtol=1e-10)
    np.testing.assert_allclose(squared_norms(jnp.asarray(x)), np.mean(x**2, axis=1), rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize(("gap", "error"), [(1e-3, 1e-12), (1e-6, 1e-9), (1e-8, 1e-5)])
def test_distances_of_nearly_equal_points_keep_their_digits(scale, gap, error):
    """Relative errors of 1e-16/gap and 1e-22/gap², where |x|² + |y|² − 2⟨x, y⟩ has 1e-16/gap²."""
    x, off = scale * np.random.default_rng(3).normal(size=(2, 40, 30))
    y = x + gap * off
    exact = np.mean((x.astype(np.longdouble) - y) ** 2, axis=1)
    found = np.diag(squared_distances(jnp.asarray(x), jnp.asarray(y)))
    assert np.max(np.abs(found / exact - 1)) < error
    shifted = x - y.mean(axis=0), y - y.mean(axis=0)
    plain = sum(np.mean(v**2, axis=1) for v in shifted) - 2 * np.mean(np.prod(shifted, 0), axis=1)
    assert np.max(np.abs(plain / exact - 1)) > 10 * error


def test_distances_have_the_derivatives_of_differences():
    x, y = (jnp.asarray(v) for v in np.random.default_rng(4).normal(size=(2, 3)))

    def distance(x):
        return squared_distances(x[None], jnp.stack([y, -y]))[0, 0]

    np.testing.assert_allclose(jax.grad(distance)(x), 2 * (x - y) / 3, rtol=1e-13)
    np.testing.assert_allclose(jax.hessian(distance)(x), 2 * np.eye(3) / 3, atol=1e-13)


def test_distances_are_never_negative():
    x = jnp.asarray(np.random.default_rng(0).normal(size=(50, 3)))
    distances = np.asarray(squared_distances(x, x))
    assert distances.min() >= 0
    assert np.diag(distances).max() < 1e-14


def test_root_has_a_derivative_at_zero():
    assert float(jax.grad(safe_sqrt)(0.0)) == 0.0
    assert float(jax.grad(safe_sqrt)(-1.0)) == 0.0
    np.testing.assert_allclose(jax.grad(safe_sqrt)(4.0), 0.25)
