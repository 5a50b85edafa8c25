"""Closed-form activations: averages, and the kernels of networks that have them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.kernels import NTK, RBF, Conjugate
from featlearn.kernels.activations import (
    NAMED,
    Cosine,
    Erf,
    GaussianBump,
    Quadratic,
    Sine,
    as_activation,
)
from featlearn.learners import KernelRidge
from featlearn.samples import Sample
from featlearn.testing import average_kernels, check_activation, slow_averages

SMOOTH = [Erf(), Quadratic(), GaussianBump(), Sine(1.3), Cosine(0.7)]
by_name = pytest.mark.parametrize("activation", SMOOTH, ids=lambda a: type(a).__name__)


@by_name
def test_averages_equal_quadrature(activation):
    check_activation(activation, tolerance=1e-12)


def test_the_quadrature_sees_a_relu_up_to_its_kink():
    check_activation(NAMED["relu"], tolerance=0.05)


@pytest.mark.parametrize("scale", [1e-8, 1e8])
@by_name
def test_squares_are_the_averages_of_equal_points_at_any_variance(activation, scale):
    one = jnp.full((1, 1), scale)
    pairs = [float(v[0, 0]) for v in activation.averages(one, one, one)]
    np.testing.assert_allclose(pairs, [float(v[0]) for v in activation.at(one[0])], rtol=1e-7)


@by_name
@pytest.mark.parametrize("gap", [1e-12, 1e-8, 1e-4])
def test_nearly_equal_points_differ_by_as_much_as_they_should(activation, gap):
    """1 − E φ(u)φ(v)/E φ(u)² to first order in the gap: a E φ'²/E φ² times it."""
    a = jnp.full((1, 1), 1.2)
    both = activation.averages(a, a, a * (1 - gap))[0][0, 0]
    square, slope = (float(v[0]) for v in activation.at(a[0]))
    np.testing.assert_allclose(square - both, 1.2 * slope * gap, rtol=4 * gap, atol=1e-15)


def slow_kernels(x, y, depth, weight, bias, activation):
    """The recursion of the docstrings, pair by pair, with averages by quadrature."""
    a, b, c = (weight * u @ v / len(x) + bias for u, v in ((x, x), (y, y), (x, y)))
    tangent = c
    for _ in range(depth):
        near = 1 - 1e-15
        both, slope = slow_averages(activation, a, b, c)
        a, b = (weight * slow_averages(activation, v, v, v * near)[0] + bias for v in (a, b))
        c = weight * both + bias
        tangent = c + tangent * weight * slope
    return c, tangent


@pytest.mark.parametrize("name", ["erf", "gaussian", "sine", "quadratic"])
def test_deep_kernels_equal_the_recursion_pair_by_pair(points, name):
    x, y = points[0][:3] / 2, points[1][:2] / 2
    settings = {"weight_variance": 0.8, "bias_variance": 0.1, "activation": name}
    slow = np.array([[slow_kernels(u, v, 2, 0.8, 0.1, NAMED[name]) for v in y] for u in x])
    for kernel, expected in ((Conjugate, slow[..., 0]), (NTK, slow[..., 1])):
        found = kernel(2, **settings)(jnp.asarray(x), jnp.asarray(y))
        np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("name", ["erf", "gaussian", "sine"])
def test_kernels_are_the_means_of_finite_networks(name):
    """One hidden layer: exact at any width. The kernels of other activations are rejected."""
    weight, bias, width = 1.7, 0.4, 3
    x = jnp.asarray(np.random.default_rng(3).normal(size=(4, 3)))
    activation = as_activation(name)

    def draw(key):
        shapes = ((width, x.shape[1]), (width,), (width,), ())
        return [
            jax.random.normal(k, s) for k, s in zip(jax.random.split(key, 4), shapes, strict=True)
        ]

    def apply(parameters, point):
        w, b, a, shift = parameters
        z = jnp.sqrt(weight / point.size) * w @ point + jnp.sqrt(bias) * b
        return jnp.sqrt(weight / width) * a @ activation(z) + jnp.sqrt(bias) * shift

    drawn = average_kernels(draw, apply, x, key=jax.random.key(5), count=6000)

    def inside(other):
        settings = {"weight_variance": weight, "bias_variance": bias, "activation": other}
        tangent, output = NTK(1, **settings)(x), Conjugate(1, **settings)(x)
        return (
            bool(np.all(np.abs(tangent - drawn.tangent) <= 4 * drawn.tangent_stderr)),
            bool(np.all(np.abs(output - drawn.output) <= 4 * drawn.output_stderr)),
        )

    assert inside(name) == (True, True)
    for other in {"erf", "gaussian", "sine"} - {name}:
        assert inside(other) == (False, False)


def test_sines_and_cosines_together_are_the_gaussian_kernel(points):
    """E cos u cos v + E sin u sin v = E cos(u − v) = exp(−ω² σ_w² |x − y|²/2d)."""
    x = jnp.asarray(points[0])
    both = sum(Conjugate(1, 1.0, 0.0, activation=wave(1.5))(x) for wave in (Sine, Cosine))
    np.testing.assert_allclose(both, RBF(1 / 1.5)(x), rtol=1e-12)


def test_relu_is_the_default_by_position_and_by_name(points):
    x = jnp.asarray(points[0])
    for kernel in (NTK, Conjugate):
        np.testing.assert_array_equal(kernel(2, 1.5, 0.1)(x), kernel(2, 1.5, 0.1, "relu")(x))


def test_stacked_frequencies_give_each_kernel_of_the_stack(points):
    x = jnp.asarray(points[0])
    stacked = jax.vmap(lambda f: NTK(1, activation=Sine(f))(x))(jnp.array([0.5, 2.0]))
    for each, frequency in zip(stacked, (0.5, 2.0), strict=True):
        np.testing.assert_allclose(each, NTK(1, activation=Sine(frequency))(x), rtol=1e-12)


def test_validation_chooses_a_frequency():
    """Networks that differ in the numbers of their activations are candidates of one ridge."""
    x = jnp.asarray(np.random.default_rng(1).normal(size=(120, 1)))
    candidates = [Conjugate(1, 1.0, activation=Sine(frequency)) for frequency in (0.1, 3.0, 30.0)]
    fit = KernelRidge(candidates).fit(Sample(x, jnp.sin(3 * x[:, 0])), key=jax.random.key(0))
    assert fit.record["candidate"] == 1


@pytest.mark.parametrize("wrong", ["swish", jnp.tanh, Erf, 3])
def test_refuses_what_is_no_activation_and_says_how_to_give_one(wrong):
    with pytest.raises(InvalidInputError, match=r"relu, erf, .*Expanded"):
        NTK(1, activation=wrong)


@pytest.mark.parametrize("wave", [Sine, Cosine])
def test_refuses_a_frequency_that_is_none(wave):
    with pytest.raises(InvalidInputError, match="frequency must be positive"):
        wave(0.0)
