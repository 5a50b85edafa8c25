"""Layers in float32, by angles, against the recursion in extended precision."""

import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.kernels._relu_angles import profile, relu_layers

DEPTH = 4


def layers(x, y, weight, bias):
    """The last covariance, and the tangent kernel, in float32."""
    weight, bias = (jnp.asarray(v, jnp.float64) for v in (weight, bias))
    one, other = (profile(jnp.asarray(v), DEPTH, weight, bias) for v in (x, y))
    tangent = 0.0
    for covariance, slope in relu_layers(one, other, weight, bias):
        tangent = covariance + tangent * slope
    return covariance, tangent


def close_pairs(gap, scale):
    """Rows at a relative distance of `gap`, near the same point and near the opposite one."""
    x, off = np.random.default_rng(5).normal(size=(2, 4, 3))
    return scale * x, scale * np.concatenate([x + gap * off, -x - gap * off])


@pytest.mark.parametrize(("weight", "bias"), [(2.0, 0.0), (1.5, 0.1), (1.0, 3.0)])
@pytest.mark.parametrize(
    ("gap", "scale"), [(1e-7, 1.0), (1e-5, 1.0), (1e-3, 1.0), (1.0, 1.0), (1e-5, 1e4), (1e-5, 1e-4)]
)
def test_equal_the_recursion_to_rounding(slow_relu, gap, scale, weight, bias):
    x, y = close_pairs(gap, scale)
    exact = slow_relu(x, y, DEPTH, weight, bias)
    own = [slow_relu(v, v, DEPTH, weight, bias) for v in (x, y)]
    for found, name in zip(layers(x, y, weight, bias), ("covariance", "tangent"), strict=True):
        assert found.dtype == jnp.float32
        roots = [np.sqrt(np.diag(getattr(o, name))) for o in own]
        error = np.abs(np.asarray(found) - getattr(exact, name)) / np.outer(*roots)
        assert error.max() < 1e-6


def test_angles_of_close_points_keep_their_digits():
    """1 − Σ/(p p') of two layers, which float32 covariances would round to multiples of 6e-8."""
    x, y = close_pairs(1e-4, 1.0)
    weight, bias = jnp.asarray(1.5), jnp.asarray(0.1)
    one, other = (profile(jnp.asarray(v), 1, weight, bias) for v in (x, y[:4]))
    *_, (_, slope) = relu_layers(one, other, weight, bias)
    angle = np.pi * (1 - 2 * np.diag(slope) / 1.5)
    augmented = [np.c_[np.sqrt(1.5 / 3) * v, np.full(4, np.sqrt(0.1))] for v in (x, y[:4])]
    unit = [v / np.linalg.norm(v, axis=1, keepdims=True) for v in augmented]
    exact = 2 * np.arcsin(np.linalg.norm(unit[0] - unit[1], axis=1) / 2)
    np.testing.assert_allclose(angle, exact, atol=3e-7)
