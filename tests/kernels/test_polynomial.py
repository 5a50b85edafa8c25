"""The polynomial kernel against its formula, its monomials and scikit-learn."""

import math

import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel

from featlearn.errors import InvalidInputError
from featlearn.kernels import Polynomial


def slow(x, y, degree, offset):
    def one(u, v):
        return (math.fsum(a * b for a, b in zip(u, v, strict=True)) / len(u) + offset) ** degree

    return np.array([[one(u, v) for v in y] for u in x])


@pytest.mark.parametrize(("degree", "offset"), [(1, 0.0), (2, 1.0), (5, 0.3)])
def test_equals_its_formula(points, degree, offset):
    x, y = points
    kernel = Polynomial(degree, offset)(jnp.asarray(x), jnp.asarray(y))
    np.testing.assert_allclose(kernel, slow(x, y, degree, offset), rtol=1e-10, atol=1e-13)
    expected = polynomial_kernel(x, y, degree=degree, gamma=1 / x.shape[1], coef0=offset)
    np.testing.assert_allclose(kernel, expected, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize(("offset", "rank"), [(1.0, math.comb(4 + 2, 2)), (0.0, math.comb(5, 2))])
def test_spans_as_many_monomials_as_the_docstring_says(offset, rank):
    x = np.random.default_rng(1).normal(size=(30, 4))
    eigenvalues = np.linalg.eigvalsh(np.asarray(Polynomial(2, offset)(jnp.asarray(x))))
    assert np.sum(eigenvalues > 1e-12 * eigenvalues[-1]) == rank


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"degree": 0}, "degree"),
        ({"degree": 2.0}, "degree"),
        ({"degree": 2, "offset": -1}, "offset"),
    ],
)
def test_refuses_what_is_no_polynomial_kernel(fields, said):
    with pytest.raises(InvalidInputError, match=said):
        Polynomial(**fields)
