"""Averages over random networks, where they are known: a linear one."""

import jax
import jax.numpy as jnp
import numpy as np

from featlearn.testing import average_kernels

X = np.random.default_rng(0).normal(size=(4, 3))


def average(apply):
    return average_kernels(
        lambda key: jax.random.normal(key, (3,)),
        apply,
        jnp.asarray(X),
        key=jax.random.key(1),
        count=2000,
    )


def test_of_linear_functions_are_the_inner_products():
    found = average(lambda w, x: w @ x)
    np.testing.assert_allclose(found.tangent, X @ X.T, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found.tangent_stderr, 0, atol=1e-6)
    assert np.all(np.abs(found.output - X @ X.T) <= 4 * found.output_stderr)
    assert not np.all(np.abs(found.output - 1.2 * X @ X.T) <= 4 * found.output_stderr)


def test_the_errors_are_those_of_means():
    """(w·x)² has standard deviation √2 |x|²."""
    found = average(lambda w, x: w @ x)
    expected = np.sqrt(2 / 2000) * np.sum(X**2, axis=1)
    np.testing.assert_allclose(np.diag(found.output_stderr), expected, rtol=0.2)


def test_every_leaf_of_the_parameters_counts():
    """f = a·x + b·x has the tangent kernel ⟨x, y⟩ twice."""

    def draw(key):
        one, two = jax.random.split(key)
        return {"a": jax.random.normal(one, (3,)), "b": [jax.random.normal(two, (3,))]}

    found = average_kernels(
        draw,
        lambda p, x: p["a"] @ x + p["b"][0] @ x,
        jnp.asarray(X),
        key=jax.random.key(1),
        count=10,
    )
    np.testing.assert_allclose(found.tangent, 2 * X @ X.T, rtol=1e-5, atol=1e-6)
