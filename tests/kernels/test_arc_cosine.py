"""Gaussian averages of a ReLU against quadrature, and where two points coincide."""

import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.kernels._arc_cosine import relu_averages


def averages(a, b, c):
    both, open_ = relu_averages(*(jnp.full((1, 1), v) for v in (a, b, c)))
    return float(both[0, 0]), float(open_[0, 0])


def quadrature(a, b, c):
    """In polar coordinates u = √a r cos φ, v = √b r cos(φ − θ); the radii integrate exactly:
    ∫ r³ e^{−r²/2} = 2 and ∫ r e^{−r²/2} = 1. Both cosines are positive for φ in (θ − π/2, π/2)."""
    theta = np.arccos(c / np.sqrt(a * b))
    nodes, weights = np.polynomial.legendre.leggauss(40)
    half = (np.pi - theta) / 2
    phi = theta / 2 + half * nodes
    mean = half * np.sum(weights * np.cos(phi) * np.cos(phi - theta))
    return 2 * np.sqrt(a * b) * mean / (2 * np.pi), half * np.sum(weights) / (2 * np.pi)


@pytest.mark.parametrize(
    ("a", "b", "c"), [(1.0, 1.0, 0.3), (2.0, 0.5, -0.9), (1e8, 1e-8, 0.99), (3.0, 3.0, 0.0)]
)
def test_equal_the_integral(a, b, c):
    np.testing.assert_allclose(averages(a, b, c), quadrature(a, b, c), rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_of_equal_and_opposite_points(scale):
    np.testing.assert_allclose(averages(scale, scale, scale), (scale / 2, 0.5), rtol=1e-12)
    np.testing.assert_allclose(averages(scale, scale, -scale), (0, 0), atol=1e-12 * scale)


def test_of_points_without_variance():
    assert averages(0.0, 1.0, 0.0) == (0.0, 0.5)


@pytest.mark.parametrize("gap", [1e-14, 1e-12, 1e-8, 1e-4])
def test_of_nearly_equal_points(gap):
    """The first is exact to rounding; the second, with its cusp, to the root of it."""
    exact = np.arccos(np.longdouble(1) - np.longdouble(gap))
    both, open_ = averages(1.0, 1.0, 1.0 - gap)
    pi = 4 * np.arctan(np.longdouble(1))
    expected = (np.sin(exact) + (pi - exact) * np.cos(exact)) / (2 * pi)
    np.testing.assert_allclose(both, float(expected), rtol=1e-13)
    np.testing.assert_allclose(open_, float((pi - exact) / (2 * pi)), rtol=1e-8)
