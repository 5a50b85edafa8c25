"""Kernels of the distance in float32: points that it cannot tell apart are left to float64."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.kernels import RBF, Laplace, Matern, _radial

KERNELS = [RBF(0.8), Laplace(0.8), Matern(1.5, 0.8), Matern(2.5, 0.8)]
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 5)), RNG.normal(size=(30, 5))
NEAR = np.concatenate([X[:15] + 1e-6 * RNG.normal(size=(15, 5)), X[:15] * (1 + 1e-12)])
POINTS = {
    "apart": (X, Y),
    "nearly equal": (X, NEAR),
    "nearly equal and large": (1e4 * X, 1e4 * NEAR),
    "small": (1e-4 * X, 1e-4 * Y),
    "far from the origin": (X + 1e6, Y + 1e6),
    "zero": (0 * X, 0 * Y),
}


def name(kernel):
    return type(kernel).__name__ + str(getattr(kernel, "nu", ""))


def errors(kernel, *names):
    """The largest error of each set of points, by one program."""

    @jax.jit
    def error(x, y):
        single = kernel.single_between(x, y)
        assert single.dtype == jnp.float32
        return jnp.max(jnp.abs(single - kernel.between(x, y)))

    return {name: float(error(*map(jnp.asarray, POINTS[name]))) for name in names}


@pytest.mark.parametrize("kernel", KERNELS, ids=name)
def test_single_precision_keeps_its_digits_wherever_the_points_are(kernel):
    found = errors(kernel, *POINTS)
    assert max(found.values()) < 2e-6, found


@pytest.mark.parametrize(
    ("kernel", "where"),
    [(Laplace(0.8), "nearly equal"), (RBF(0.8), "nearly equal and large")],
    ids=["cusp", "large"],
)
def test_float32_distances_alone_would_not(kernel, where, monkeypatch):
    monkeypatch.setattr(_radial, "RISK", np.inf)
    assert errors(kernel, where)[where] > 1e-5


@pytest.mark.parametrize("kernel", KERNELS, ids=name)
def test_points_in_general_position_need_no_distances_in_double(kernel, monkeypatch):
    monkeypatch.setattr(_radial, "squared_distances", lambda x, y: jnp.full((40, 30), jnp.nan))
    assert np.isfinite(kernel.single_between(jnp.asarray(X), jnp.asarray(Y))).all()


@pytest.mark.parametrize("kernel", KERNELS, ids=name)
def test_the_slope_is_that_of_the_profile(kernel):
    s = jnp.linspace(0.1, 4.0, 9)
    slope = jax.vmap(jax.grad(lambda s: kernel.profile(s)[0]))(s)
    np.testing.assert_allclose(kernel.profile(s)[1], -slope, rtol=1e-12)
