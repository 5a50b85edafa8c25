"""Means of random features' inner products against the kernels, at a fixed number of draws."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn import kernels
from featlearn.errors import InvalidInputError
from featlearn.kernels import (
    NTK,
    RBF,
    ArcCosine,
    Conjugate,
    ConvolutionalConjugate,
    ConvolutionalNTK,
    DotProduct,
    EmpiricalNTK,
    Kernel,
    Laplace,
    Matern,
    Polynomial,
    ResidualConjugate,
    ResidualNTK,
    empirical_ntk,
    random_features,
)
from featlearn.kernels.random_features import draw
from featlearn.testing.bands import check_average

DRAWS, DIM = 2000, 3
VARIANCES = {"weight_variance": 1.7, "bias_variance": 0.4}

# kernel, one that its features must not pass for, width, and the bias allowed (relative)
PAIRS = {
    "RBF": (RBF(0.8), RBF(0.9), 20, 0),
    "Laplace": (Laplace(0.8), RBF(0.8), 20, 0),
    "Matern of 3/2": (Matern(1.5, 0.8), Matern(2.5, 0.8), 20, 0),
    "Matern of 5/2": (Matern(2.5, 0.8), Matern(1.5, 0.8), 20, 0),
    "Polynomial": (Polynomial(3, 0.5), Polynomial(3, 0.8), 40, 0),
    "DotProduct": (DotProduct((0.3, 1, 0, 0.5)), DotProduct((0.3, 1, 0.5)), 30, 0),
    "ArcCosine of 0": (ArcCosine(0), ArcCosine(1), 30, 0),
    "ArcCosine of 1": (ArcCosine(1), ArcCosine(0), 30, 0),
    "ArcCosine of 2": (ArcCosine(2), Polynomial(2, 0.0), 30, 0),
    "Conjugate": (Conjugate(1, **VARIANCES), Conjugate(1, 1.7, 0.3), 30, 0),
    "NTK": (NTK(1, **VARIANCES), Conjugate(1, **VARIANCES), 30, 0),
    "Conjugate of a sine": (
        Conjugate(1, **VARIANCES, activation="sine"),
        Conjugate(1, **VARIANCES, activation="erf"),
        30,
        0,
    ),
    "NTK of erf": (
        NTK(1, **VARIANCES, activation="erf"),
        Conjugate(1, **VARIANCES, activation="erf"),
        30,
        0,
    ),
    "residual without blocks": (ResidualNTK(0, **VARIANCES), NTK(2, **VARIANCES), 30, 0),
    "residual Conjugate": (
        ResidualConjugate(1, 0.8, **VARIANCES),
        ResidualConjugate(1, 0.5, **VARIANCES),
        40,
        0.08,
    ),
    "residual NTK": (
        ResidualNTK(1, 0.8, **VARIANCES),
        ResidualConjugate(1, 0.8, **VARIANCES),
        60,
        0.08,
    ),
    "deep ArcCosine": (ArcCosine(1, 2), ArcCosine(1), 40, 0.08),
    "deep Conjugate": (Conjugate(2, **VARIANCES), Conjugate(1, **VARIANCES), 40, 0.08),
    "deep NTK": (NTK(2, **VARIANCES), NTK(1, **VARIANCES), 60, 0.08),
}


@pytest.fixture(scope="module")
def x():
    return jnp.asarray(np.random.default_rng(0).normal(size=(4, DIM)))


def drawn(make, x, draws=DRAWS):
    """⟨φ(x), φ(y)⟩ for each draw of φ."""

    def gram(key):
        phi = make(key)(x)
        return phi @ phi.T

    run = jax.jit(lambda keys: jax.lax.map(gram, keys, batch_size=250))
    return np.asarray(run(jax.random.split(jax.random.key(2), draws)))


@pytest.mark.parametrize("name", PAIRS)
def test_the_mean_inner_product_is_the_kernel(name, x):
    kernel, other, width, bias = PAIRS[name]
    draws = DRAWS // 4 if bias else DRAWS
    grams = drawn(lambda key: random_features(kernel, width, key, dim=DIM), x, draws)
    size = np.sqrt(np.mean(grams**2))
    wanted = np.asarray(kernel(x))
    rounding = max(bias * np.abs(wanted).max() / size, 1e-9)
    check_average(name, grams, wanted, rounding=rounding)
    with pytest.raises(AssertionError, match="declared"):
        check_average(name, grams, np.asarray(other(x)), rounding=rounding)


def test_matern_of_one_half_has_the_features_of_laplace(x):
    one, other = (
        random_features(kernel, 20, jax.random.key(0), dim=DIM)(x)
        for kernel in (Matern(0.5, 0.8), Laplace(0.8))
    )
    np.testing.assert_array_equal(one, other)


IMAGE = (2, 2, 1)
CONVOLUTIONAL = {
    "pooled": (ConvolutionalConjugate(1, image=IMAGE, **VARIANCES), 0),
    "flat, all around": (
        ConvolutionalConjugate(1, image=IMAGE, readout="flatten", padding="circular", **VARIANCES),
        0,
    ),
    "tangent": (ConvolutionalNTK(1, image=IMAGE, readout="flatten", **VARIANCES), 0),
    "deep": (ConvolutionalNTK(2, image=IMAGE, padding="circular", **VARIANCES), 0.1),
}


@pytest.mark.parametrize("name", CONVOLUTIONAL)
def test_convolutional_networks_have_the_kernel_of_their_own_readout_and_padding(name):
    kernel, bias = CONVOLUTIONAL[name]
    x = jnp.asarray(np.random.default_rng(1).normal(size=(3, 4)))
    grams = drawn(
        lambda key: random_features(kernel, 40, key, dim=4), x, DRAWS // (4 if bias else 2)
    )
    wanted = np.asarray(kernel(x))
    rounding = max(bias * np.abs(wanted).max() / np.sqrt(np.mean(grams**2)), 1e-9)
    check_average(name, grams, wanted, rounding=rounding)
    swapped = {"flatten": "pool", "pool": "flatten"}[kernel.readout]
    form = {"image": IMAGE, "padding": kernel.padding, "readout": swapped} | VARIANCES
    with pytest.raises(AssertionError, match="declared"):
        check_average(name, grams, type(kernel)(kernel.depth, **form)(x), rounding=rounding)


def test_one_product_of_signs_varies_as_its_docstring_says(x):
    """E (φφ')² of one feature of degree 2 alone; 1 for a pair without a common direction."""
    x = x / jnp.linalg.norm(x, axis=1, keepdims=True) * np.sqrt(DIM)
    kernel = DotProduct((0, 0, 1.0))
    grams = drawn(lambda key: random_features(kernel, 2, key, dim=DIM), x, 4 * DRAWS)
    inner, shared = x @ x.T, (x**2) @ (x**2).T
    wanted = ((DIM**2 + 2 * inner**2 - 2 * shared) / DIM**2) ** 2
    check_average("mean square", grams**2, wanted, rounding=1e-9)


def test_a_series_with_coefficients_from_a_stack_is_drawn_in_one_program(x):
    """Which degrees are drawn is no longer known when the program is compiled."""

    def features(c):
        return random_features(DotProduct((0.0, c, 1 - c)), 41, jax.random.key(1), dim=DIM)(x)

    each, alone = jax.jit(jax.vmap(features))(jnp.array([1.0, 0.25])), jax.jit(features)
    np.testing.assert_allclose(each[0], alone(1.0), rtol=1e-12)
    np.testing.assert_allclose(each[1], alone(0.25), rtol=1e-12)


def test_every_public_kernel_has_features_or_says_why_not(x):
    public = {
        thing
        for thing in vars(kernels).values()
        if isinstance(thing, type) and issubclass(thing, Kernel) and thing is not Kernel
    }
    shown = {type(pair[0]) for pair in (*PAIRS.values(), *CONVOLUTIONAL.values())}
    assert public - shown == {EmpiricalNTK}
    network = empirical_ntk(lambda w, x: x @ w, np.ones(DIM))
    with pytest.raises(InvalidInputError, match=r"no random features: .*tangent_model"):
        random_features(network, 9, jax.random.key(0), dim=DIM)


@pytest.mark.parametrize("name", ["RBF", "Polynomial", "DotProduct", "NTK", "ArcCosine of 1"])
def test_the_width_is_as_asked_and_the_error_falls_with_it(name, x):
    kernel = PAIRS[name][0]
    errors = []
    for width in (51, 5100):
        phi = random_features(kernel, width, jax.random.key(0), dim=DIM)(x)
        assert phi.shape == (4, width)
        errors.append(np.linalg.norm(phi @ phi.T - kernel(x)))
    assert errors[1] < errors[0] / 3


def test_another_kernel_can_be_taught(x):
    class Linear(Kernel):
        def between(self, x, y):
            return x @ y.T

        def at(self, x):
            return (x**2).sum(1)

    with pytest.raises(InvalidInputError, match=r"for Linear: give one of ArcCosine, .*register"):
        random_features(Linear(), 5, jax.random.key(0), dim=DIM)
    draw.register(Linear, lambda kernel, width, key, dim: draw(RBF(1.0), width, key, dim))
    assert random_features(Linear(), 5, jax.random.key(0), dim=DIM)(x).shape == (4, 5)


@pytest.mark.parametrize(
    ("kernel", "width"),
    [(RBF(), 0), (RBF(), 2.0), (Conjugate(1), 1), (ResidualNTK(1), 2), (RBF(), True)],
)
def test_refuses_a_width_that_is_none(kernel, width):
    with pytest.raises(InvalidInputError, match="width must be"):
        random_features(kernel, width, jax.random.key(0), dim=DIM)
