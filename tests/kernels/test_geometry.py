"""Inner products and distances between rows against loops."""

import jax
import jax.numpy as jnp
import numpy as np

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


def test_distances_are_never_negative():
    x = jnp.asarray(np.random.default_rng(0).normal(size=(50, 3)))
    distances = np.asarray(squared_distances(x, x))
    assert distances.min() >= 0
    assert np.diag(distances).max() < 1e-14


def test_root_has_a_derivative_at_zero():
    assert float(jax.grad(safe_sqrt)(0.0)) == 0.0
    assert float(jax.grad(safe_sqrt)(-1.0)) == 0.0
    np.testing.assert_allclose(jax.grad(safe_sqrt)(4.0), 0.25)
