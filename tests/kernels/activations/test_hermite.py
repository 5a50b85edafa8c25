"""Polynomial activations by Hermite coefficients."""

import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.kernels import NTK, Conjugate
from featlearn.kernels.activations import Hermite
from featlearn.testing import check_activation


@pytest.mark.parametrize("c", [(0.3, 1, -0.5, 0.2, 0.1), (0.0, 0.0, 0.0, 1.0), (2.0, 1.0)])
def test_averages_equal_quadrature(c):
    check_activation(Hermite(c), tolerance=1e-12)


def test_is_the_sum_of_its_polynomials():
    z = np.linspace(-3, 3, 9)
    c = (0.3, 1.0, -0.5, 0.2, 0.1)
    expected = np.polynomial.hermite_e.hermeval(z, c)
    np.testing.assert_allclose(Hermite(c)(jnp.asarray(z)), expected, rtol=1e-12)


def test_a_square_is_he2_and_a_constant(points):
    x = jnp.asarray(points[0])
    found = NTK(2, 0.7, 0.1, activation=Hermite((1, 0, 1)))(x)
    np.testing.assert_allclose(found, NTK(2, 0.7, 0.1, activation="quadratic")(x), rtol=1e-12)


def test_at_variance_one_the_kernel_is_mehlers_series():
    """Points of norm √d, no bias: K = Σ_k c_k² k! ρ^k."""
    x = np.random.default_rng(1).normal(size=(5, 3))
    x *= np.sqrt(3) / np.linalg.norm(x, axis=1, keepdims=True)
    rho = x @ x.T / 3
    kernel = Conjugate(1, 1.0, activation=Hermite((0.5, 1, 0.3, 0.2)))(jnp.asarray(x))
    expected = 0.25 + rho + 2 * 0.09 * rho**2 + 6 * 0.04 * rho**3
    np.testing.assert_allclose(kernel, expected, rtol=1e-12)


@pytest.mark.parametrize("wrong", [(), (1.0,), (0.0, float("nan"))])
def test_refuses_what_are_no_coefficients(wrong):
    with pytest.raises(InvalidInputError, match="coefficients"):
        Hermite(wrong)
