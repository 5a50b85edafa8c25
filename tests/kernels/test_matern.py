"""The Matérn kernels against scikit-learn and their neighbours."""

import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Matern as Reference

from featlearn.errors import InvalidInputError
from featlearn.kernels import Laplace, Matern


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])
@pytest.mark.parametrize("bandwidth", [0.6, 3.0])
def test_length_scale_of_scikit_learn_is_as_the_docstring_says(points, nu, bandwidth):
    x, y = points
    expected = Reference(length_scale=bandwidth * np.sqrt(x.shape[1]), nu=nu)(x, y)
    kernel = Matern(nu, bandwidth)(jnp.asarray(x), jnp.asarray(y))
    np.testing.assert_allclose(kernel, expected, rtol=1e-10)


def test_the_roughest_is_the_laplace_kernel(points):
    x, y = (jnp.asarray(p) for p in points)
    np.testing.assert_allclose(Matern(0.5, 0.7)(x, y), Laplace(0.7)(x, y), rtol=1e-13)


@pytest.mark.parametrize(("nu", "power"), [(0.5, 1), (1.5, 2), (2.5, 2)])
def test_falls_near_a_point_with_the_power_of_its_smoothness(nu, power):
    far, near = (
        1 - float(Matern(nu)(jnp.zeros((1, 1)), jnp.full((1, 1), r))[0, 0]) for r in (2e-3, 1e-3)
    )
    np.testing.assert_allclose(np.log2(far / near), power, atol=0.01)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"nu": 2.0}, "nu must be 0.5, 1.5 or 2.5"),
        ({"nu": 1.5, "bandwidth": 0.0}, "bandwidth must be positive"),
    ],
)
def test_refuses_what_is_no_matern_kernel(fields, said):
    with pytest.raises(InvalidInputError, match=said):
        Matern(**fields)
