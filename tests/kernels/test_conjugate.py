"""The conjugate kernel against a slow reference and against outputs of finite networks."""

import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.kernels import Conjugate


@pytest.mark.parametrize(("depth", "weight", "bias"), [(1, 1.0, 1.0), (3, 2.0, 0.0), (4, 1.3, 0.2)])
def test_equals_the_recursion_pair_by_pair(points, slow_relu, depth, weight, bias):
    x, y = points
    kernel = Conjugate(depth, weight_variance=weight, bias_variance=bias)
    slow = slow_relu(x, y, depth, weight, bias).covariance
    np.testing.assert_allclose(kernel(jnp.asarray(x), jnp.asarray(y)), slow, rtol=1e-10)


@pytest.mark.parametrize("depth", [1, 2])
def test_is_the_covariance_of_finite_networks(drawn_networks, drawn_variances, within_band, depth):
    drawn = drawn_networks[depth]
    kernel = Conjugate(depth, **drawn_variances)(drawn.x)
    assert within_band(kernel, drawn.output, drawn.output_error, drawn.bias)


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("wrong", [{"weight_variance": 0.85}, {"bias_variance": 0.0}])
def test_the_band_rejects_a_wrong_kernel(
    drawn_networks, drawn_variances, within_band, depth, wrong
):
    drawn = drawn_networks[depth]
    kernel = Conjugate(depth, **(drawn_variances | wrong))(drawn.x)
    assert not within_band(kernel, drawn.output, drawn.output_error, drawn.bias)


def test_is_the_limit_of_random_features(points):
    """Mean of relu(w·x/√d + b) relu(w·y/√d + b) over neurons, times σ_w² = 1, plus σ_b² = 1."""
    x = points[0][:3]
    rng = np.random.default_rng(11)
    w, b = rng.normal(size=(60_000, x.shape[1])), rng.normal(size=60_000)
    features = np.maximum(x @ w.T / np.sqrt(x.shape[1]) + b, 0)
    products = features[:, None, :] * features[None, :, :]
    error = products.std(-1) / np.sqrt(products.shape[-1])
    kernel = np.asarray(Conjugate(1, weight_variance=1, bias_variance=1)(jnp.asarray(x)))
    assert np.all(np.abs(kernel - 1 - products.mean(-1)) <= 4 * error)
    assert not np.all(np.abs(kernel - products.mean(-1)) <= 4 * error)


@pytest.mark.parametrize("fields", [{"depth": 0}, {"depth": 1, "bias_variance": -1.0}])
def test_refuses_what_is_no_network(fields):
    with pytest.raises(InvalidInputError, match="must be"):
        Conjugate(**fields)
