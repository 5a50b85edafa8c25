"""Power series of the inner product."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.kernels import DotProduct, Polynomial


def test_equals_its_formula(points):
    x, y = points
    c = (0.5, 0.0, 1.3, 0.2)
    t = [[math.fsum(a * b for a, b in zip(u, v, strict=True)) / len(u) for v in y] for u in x]
    expected = np.polynomial.polynomial.polyval(np.array(t), c)
    np.testing.assert_allclose(DotProduct(c)(jnp.asarray(x), jnp.asarray(y)), expected, rtol=1e-10)


def test_binomial_coefficients_give_the_polynomial_kernel(points):
    x = jnp.asarray(points[0])
    found = DotProduct([math.comb(3, k) * 0.5 ** (3 - k) for k in range(4)])(x)
    np.testing.assert_allclose(found, Polynomial(3, 0.5)(x), rtol=1e-12)


def test_stacked_coefficients_give_each_kernel_of_the_stack(points):
    x = jnp.asarray(points[0])
    stacked = jax.vmap(lambda c: DotProduct((1.0, c))(x))(jnp.array([0.0, 2.0]))
    for each, c in zip(stacked, (0.0, 2.0), strict=True):
        np.testing.assert_allclose(each, DotProduct((1.0, c))(x), rtol=1e-12)


@pytest.mark.parametrize(
    ("coefficients", "said"),
    [
        ((1.0, -0.1), "c_1 must be finite and at least 0"),
        ((float("nan"),), "c_0"),
        ((0.0, 0.0), "positive coefficient"),
        ((), "positive coefficient"),
    ],
)
def test_refuses_coefficients_that_give_no_kernel(coefficients, said):
    with pytest.raises(InvalidInputError, match=said):
        DotProduct(coefficients)
