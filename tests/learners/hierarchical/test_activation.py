"""The truncated square is the square below its level, constant above twice it, and C² between."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.learners.hierarchical._activation import truncated_square

CUT = 1.5
SLOPE = jax.jit(jax.vmap(jax.grad(lambda z: truncated_square(z, CUT))))
CURVATURE = jax.jit(jax.vmap(jax.grad(jax.grad(lambda z: truncated_square(z, CUT)))))


def test_is_the_square_up_to_its_level_and_constant_beyond_twice_it():
    z = jnp.linspace(-CUT, CUT, 31)
    np.testing.assert_allclose(truncated_square(z, CUT), z**2, rtol=1e-14)
    far = truncated_square(jnp.asarray([2 * CUT, 5.0, -1e6]), CUT)
    np.testing.assert_allclose(far, 13 / 6 * CUT**2, rtol=1e-14)


def test_rises_with_two_continuous_derivatives():
    z = jnp.linspace(0, 3 * CUT, 6_001)
    assert np.all(np.diff(truncated_square(z, CUT)) >= -1e-12)
    step = float(z[1] - z[0])
    for derivative, of in ((SLOPE, lambda z: truncated_square(z, CUT)), (CURVATURE, SLOPE)):
        here = derivative(z)
        assert np.max(np.abs(np.diff(here))) < 40 * step  # a jump would not shrink with the step
        np.testing.assert_allclose(
            np.diff(of(z)) / step, (here[1:] + here[:-1]) / 2, atol=40 * step
        )


def test_a_plain_clip_would_be_seen_by_the_same_check():
    def clipped(z):
        return jnp.minimum(z**2, CUT**2)

    slope = jax.vmap(jax.grad(clipped))(jnp.linspace(0, 3 * CUT, 6_001))
    assert np.max(np.abs(np.diff(slope))) > 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_without_a_level_it_is_the_square_and_so_are_its_gradients(dtype):
    z = jnp.asarray([-3.0, 0.0, 1e4], dtype)
    one = jax.jit(jax.vmap(jax.value_and_grad(lambda z: truncated_square(z, np.inf))))
    value, slope = one(z)
    np.testing.assert_allclose(value, z**2)
    np.testing.assert_allclose(slope, 2 * z)
    assert value.dtype == slope.dtype == dtype
