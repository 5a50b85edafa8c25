"""Any function as an activation, by its Hermite expansion at each variance."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.kernels import NTK, Conjugate
from featlearn.kernels.activations import Expanded
from featlearn.testing import check_activation


def test_a_smooth_function_equals_quadrature():
    check_activation(Expanded(jax.nn.gelu), tolerance=1e-12)


def test_tanh_loses_as_little_as_the_docstring_says():
    assert 1e-9 < Expanded(jnp.tanh).left_out(jnp.ones(1))[0] < 1e-7


@pytest.mark.parametrize("terms", [5, 30])
def test_of_a_kinked_function_what_is_left_out_is_stated(terms):
    """relu = Σ c_m h_m with c_0² = 1/2π, c_1² = 1/4 and c_m² of even m as below, at any a."""
    left = Expanded(jax.nn.relu, terms=terms).left_out(jnp.array([0.2, 1.0, 30.0]))
    tail, square = 0.0, 1 / (4 * np.pi)  # c_2² = 1/4π, c_{m+2}² = c_m² (m−1)²/((m+1)(m+2))
    for m in range(2, 4000, 2):
        tail += square if m >= terms else 0.0
        square *= (m - 1) ** 2 / ((m + 1) * (m + 2))
    np.testing.assert_allclose(left, tail / 0.5, rtol=0.4)


def test_kernels_of_a_relu_come_near_those_in_closed_form(points):
    x = jnp.asarray(points[0])
    near = Conjugate(2, 1.5, 0.1, activation=Expanded(jax.nn.relu))(x)
    np.testing.assert_allclose(near, Conjugate(2, 1.5, 0.1)(x), atol=3e-3)
    far = Conjugate(2, 1.5, 0.1, activation=Expanded(jax.nn.relu, terms=2))(x)
    assert not np.allclose(far, Conjugate(2, 1.5, 0.1)(x), atol=3e-3)


def test_kernels_of_a_named_function_are_those_in_closed_form(points):
    x = jnp.asarray(points[0])
    settings = {"weight_variance": 0.8, "bias_variance": 0.1}
    expanded = NTK(2, **settings, activation=Expanded(jnp.sin, terms=60))(x)
    np.testing.assert_allclose(expanded, NTK(2, **settings, activation="sine")(x), rtol=1e-10)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"function": "tanh"}, "function of an array"),
        ({"function": jnp.tanh, "terms": 0}, "terms"),
        ({"function": jnp.tanh, "terms": 50, "nodes": 40}, "between terms and 256"),
        ({"function": jnp.tanh, "nodes": 500}, "between terms and 256"),
    ],
)
def test_refuses_what_cannot_be_expanded(fields, said):
    with pytest.raises(InvalidInputError, match=said):
        Expanded(**fields)
