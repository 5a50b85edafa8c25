"""The neural tangent kernel against a slow reference and against gradients of finite networks."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.kernels import NTK


@pytest.mark.parametrize(("depth", "weight", "bias"), [(1, 2.0, 0.0), (2, 1.3, 0.2), (5, 2.0, 0.1)])
def test_equals_the_recursion_pair_by_pair(points, slow_relu, depth, weight, bias):
    x, y = points
    kernel = NTK(depth, weight_variance=weight, bias_variance=bias)
    np.testing.assert_allclose(
        kernel(jnp.asarray(x), jnp.asarray(y)), slow_relu(x, y, depth, weight, bias).tangent, 1e-10
    )


@pytest.mark.parametrize("depth", [1, 2])
def test_is_the_mean_of_finite_networks(drawn_networks, drawn_variances, within_band, depth):
    drawn = drawn_networks[depth]
    kernel = NTK(depth, **drawn_variances)(drawn.x)
    assert within_band(kernel, drawn.tangent, drawn.tangent_error, drawn.bias)


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize(
    "wrong",
    [
        {"weight_variance": 0.85},  # half of it
        {"bias_variance": 0.0},
        {"bias_variance": 0.2},
        {"depth_off": 1},
    ],
)
def test_the_band_rejects_a_wrong_kernel(
    drawn_networks, drawn_variances, within_band, depth, wrong
):
    drawn = drawn_networks[depth]
    wrong = dict(wrong)
    depth += wrong.pop("depth_off", 0)
    kernel = NTK(depth, **(drawn_variances | wrong))(drawn.x)
    assert not within_band(kernel, drawn.tangent, drawn.tangent_error, drawn.bias)


def test_the_band_rejects_a_kernel_without_its_last_layer(
    drawn_networks, drawn_variances, within_band
):
    """Σ_L left out: the gradient by the output weights forgotten."""
    drawn = drawn_networks[1]
    kernel = NTK(1, **drawn_variances)(drawn.x) - jnp.asarray(drawn.output)
    assert not within_band(kernel, drawn.tangent, drawn.tangent_error, drawn.bias)


def test_two_layers_in_closed_form():
    """σ_w² = 2, no bias, d = 1: K(x, x) = 4x², K(x, −x) = 0, so K = 4xy 1[xy > 0]."""
    x = jnp.array([[1.0], [2.0], [-3.0]])
    np.testing.assert_allclose(
        NTK(1)(x), [[4, 8, 0], [8, 16, 0], [0, 0, 36]], rtol=1e-12, atol=1e-12
    )


def test_is_blind_to_odd_degrees_without_a_bias():
    """K(x, y) − K(x, −y) is linear in y when σ_b = 0, and is not with a bias."""
    x = jnp.array([[1.0, 0.0]])
    angle = jnp.linspace(0.1, 3.0, 7)
    y = jnp.stack([jnp.cos(angle), jnp.sin(angle)], axis=1)
    odd = {bias: NTK(1, 2.0, bias)(x, y) - NTK(1, 2.0, bias)(x, -y) for bias in (0.0, 1.0)}
    ratio = {bias: (value / y[:, 0]).ravel() for bias, value in odd.items()}
    np.testing.assert_allclose(ratio[0.0], ratio[0.0][0], rtol=1e-10)
    assert np.ptp(ratio[1.0]) > 1e-2


def test_stacked_variances_give_each_kernel_of_the_stack(points):
    x = jnp.asarray(points[0])
    biases = jnp.array([0.0, 0.3])
    stacked = jax.vmap(lambda b: NTK(2, bias_variance=b)(x))(biases)
    for each, bias in zip(stacked, (0.0, 0.3), strict=True):
        np.testing.assert_allclose(each, NTK(2, bias_variance=bias)(x), rtol=1e-12)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"depth": 0}, "depth"),
        ({"depth": 1.5}, "depth"),
        ({"depth": 1, "weight_variance": 0.0}, "weight_variance"),
        ({"depth": 1, "weight_variance": -2}, "weight_variance"),
        ({"depth": 1, "bias_variance": -0.1}, "bias_variance"),
        ({"depth": 1, "bias_variance": np.float32(-1)}, "bias_variance"),
        ({"depth": 1, "bias_variance": float("nan")}, "bias_variance"),
    ],
)
def test_refuses_what_is_no_network(fields, said):
    with pytest.raises(InvalidInputError, match=said):
        NTK(**fields)
