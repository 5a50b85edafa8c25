"""The Laplace kernel against its formula and scikit-learn."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.metrics.pairwise import laplacian_kernel

from featlearn.errors import InvalidInputError
from featlearn.kernels import Laplace


def slow(x, y, bandwidth):
    return np.array(
        [[math.exp(-math.dist(u, v) / (bandwidth * len(u) ** 0.5)) for v in y] for u in x]
    )


@pytest.mark.parametrize("bandwidth", [0.6, 1.0, 5.0])
def test_equals_its_formula(points, bandwidth):
    x, y = points
    kernel = Laplace(bandwidth)(jnp.asarray(x), jnp.asarray(y))
    np.testing.assert_allclose(kernel, slow(x, y, bandwidth), rtol=1e-10)


def test_is_scikit_learns_in_one_dimension_only(points):
    """There the two norms agree; in four they do not: ours is the Euclidean one."""
    x, y = points
    one = Laplace(0.7)(jnp.asarray(x[:, :1]), jnp.asarray(y[:, :1]))
    np.testing.assert_allclose(one, laplacian_kernel(x[:, :1], y[:, :1], gamma=1 / 0.7), rtol=1e-10)
    four = Laplace(0.7)(jnp.asarray(x), jnp.asarray(y))
    manhattan = laplacian_kernel(x, y, gamma=1 / (0.7 * 2))
    assert not np.allclose(four, manhattan, rtol=1e-2)


def test_slope_is_one_sided_beside_a_point_and_its_mean_at_it():
    def value(x):
        return Laplace(1.0)(x.reshape(1, 1), jnp.ones((1, 1)))[0, 0]

    slope = jax.grad(value)
    assert float(slope(jnp.array(1.0))) == 0.0
    np.testing.assert_allclose(
        [slope(jnp.array(1 + 1e-6)), slope(jnp.array(1 - 1e-6))], [-1, 1], 1e-5
    )


@pytest.mark.parametrize("bandwidth", [0.0, -1.0, float("nan")])
def test_refuses_a_bandwidth_that_is_none(bandwidth):
    with pytest.raises(InvalidInputError, match="bandwidth must be positive and finite"):
        Laplace(bandwidth)
