"""Kernels of residual networks against finite ones, and at their ends."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.kernels import NTK, Conjugate, ResidualConjugate, ResidualNTK
from featlearn.kernels.activations import as_activation
from featlearn.testing import average_kernels

WEIGHT, BIAS, SCALE = 0.9, 0.3, 0.8
VARIANCES = {"weight_variance": WEIGHT, "bias_variance": BIAS}


@pytest.mark.parametrize("ends", [{"blocks": 0, "scale": 3.0}, {"blocks": 4, "scale": 0.0}])
def test_without_blocks_is_a_network_of_one_hidden_layer(points, ends):
    x, y = (jnp.asarray(p) for p in points)
    for residual, plain in ((ResidualNTK, NTK), (ResidualConjugate, Conjugate)):
        found = residual(**ends, **VARIANCES, activation="erf")
        expected = plain(1, **VARIANCES, activation="erf")
        np.testing.assert_allclose(found(x, y), expected(x, y), rtol=1e-12)
        np.testing.assert_allclose(found.diagonal(x), expected.diagonal(x), rtol=1e-12)


def test_many_small_steps_are_a_flow():
    """dΣ/dt = S(Σ) for s² = T/L: doubling L halves the distance to the limit."""
    x = jnp.asarray(np.random.default_rng(4).normal(size=(4, 3)))
    kernels = [ResidualConjugate(n, (1 / n) ** 0.5, **VARIANCES)(x) for n in (8, 16, 32)]
    steps = [np.abs(kernels[i + 1] - kernels[i]).max() for i in range(2)]
    assert 1.8 < steps[0] / steps[1] < 2.2


def slow_residual(x, y, blocks):
    """Σ and Θ of a quadratic activation, pair by pair: E u²v² = ab + 2c², E 4uv = 4c."""
    a, b, c = (WEIGHT * u @ v / len(x) + BIAS for u, v in ((x, x), (y, y), (x, y)))
    tangent, square = c, SCALE**2

    def block(a, b, c):
        return WEIGHT * (a * b + 2 * c * c) + BIAS

    for _ in range(blocks):
        tangent = tangent + square * (block(a, b, c) + tangent * WEIGHT * 4 * c)
        a, b, c = (
            p + square * block(*q) for p, q in ((a, (a, a, a)), (b, (b, b, b)), (c, (a, b, c)))
        )
    return block(a, b, c), block(a, b, c) + tangent * WEIGHT * 4 * c


@pytest.mark.parametrize("blocks", [1, 3])
def test_equals_the_recursion_pair_by_pair(points, blocks):
    x, y = points[0] / 3, points[1] / 3
    slow = np.array([[slow_residual(u, v, blocks) for v in y] for u in x])
    for i, kernel in enumerate((ResidualConjugate, ResidualNTK)):
        found = kernel(blocks, SCALE, **VARIANCES, activation="quadratic")
        np.testing.assert_allclose(found(jnp.asarray(x), jnp.asarray(y)), slow[..., i], rtol=1e-10)


@pytest.fixture(scope="module")
def drawn():
    """Means over finite networks with one block; the readout's width needs not be large."""
    width, x = 64, jnp.asarray(np.random.default_rng(3).normal(size=(4, 3)))
    phi = as_activation("erf")
    weight, bias = jnp.sqrt(WEIGHT), jnp.sqrt(BIAS)

    def draw(key):
        shapes = ((width, 3), (width,), (width, width), (width,), (width,), ())
        keys = jax.random.split(key, len(shapes))
        return [jax.random.normal(k, s) for k, s in zip(keys, shapes, strict=True)]

    def apply(parameters, point):
        w, b, v, c, a, shift = parameters
        z = weight / jnp.sqrt(3) * w @ point + bias * b
        z = z + SCALE * (weight / jnp.sqrt(width) * v @ phi(z) + bias * c)
        return weight / jnp.sqrt(width) * a @ phi(z) + bias * shift

    return x, average_kernels(draw, apply, x, key=jax.random.key(5), count=1000)


# Of finite width: the covariances of 64 neurons fluctuate by 1/8 at most, and the kernel is off
# by half its curvature, which is below 2, times the variance of that.
WIDTH_BIAS = 1 / 64


def inside(kernel, x, means, errors):
    gram = np.asarray(kernel(x))
    return bool(np.all(np.abs(gram - means) <= 4 * errors + WIDTH_BIAS * np.abs(gram)))


def test_is_the_mean_of_finite_networks(drawn):
    x, means = drawn
    settings = {**VARIANCES, "activation": "erf"}
    tangent, output = ResidualNTK(1, SCALE, **settings), ResidualConjugate(1, SCALE, **settings)
    assert inside(tangent, x, means.tangent, means.tangent_stderr)
    assert inside(output, x, means.output, means.output_stderr)


@pytest.mark.parametrize("wrong", [{"blocks": 2}, {"scale": SCALE**2}, {"bias_variance": 0.2}])
def test_the_band_rejects_a_wrong_kernel(drawn, wrong):
    x, means = drawn
    fields = {"blocks": 1, "scale": SCALE, **VARIANCES, "activation": "erf"} | wrong
    assert not inside(ResidualNTK(**fields), x, means.tangent, means.tangent_stderr)


def test_the_band_rejects_a_network_without_the_way_around(drawn):
    x, means = drawn
    plain = NTK(2, **VARIANCES, activation="erf")
    assert not inside(plain, x, means.tangent, means.tangent_stderr)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"blocks": -1}, "blocks"),
        ({"blocks": 1.0}, "blocks"),
        ({"blocks": 1, "scale": -1.0}, "scale"),
        ({"blocks": 1, "weight_variance": 0.0}, "weight_variance"),
        ({"blocks": 1, "bias_variance": -1.0}, "bias_variance"),
        ({"blocks": 1, "activation": "none"}, "activation"),
    ],
)
@pytest.mark.parametrize("kernel", [ResidualNTK, ResidualConjugate])
def test_refuses_what_is_no_network(kernel, fields, said):
    with pytest.raises(InvalidInputError, match=said):
        kernel(**fields)
