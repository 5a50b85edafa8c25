"""Means of random features' inner products against the kernels, at a fixed number of draws."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.kernels import (
    NTK,
    RBF,
    Conjugate,
    Kernel,
    Laplace,
    Matern,
    Polynomial,
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
    "Conjugate": (Conjugate(1, **VARIANCES), Conjugate(1, 1.7, 0.3), 30, 0),
    "NTK": (NTK(1, **VARIANCES), Conjugate(1, **VARIANCES), 30, 0),
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


@pytest.mark.parametrize("kernel", [NTK(1, activation="erf"), Conjugate(2, activation="sine")])
def test_networks_of_other_activations_are_refused(kernel):
    name = type(kernel).__name__
    with pytest.raises(InvalidInputError, match=f"of {name} are known for ReLU alone, got"):
        random_features(kernel, 9, jax.random.key(0), dim=DIM)


@pytest.mark.parametrize("name", ["RBF", "Polynomial", "Conjugate", "NTK", "deep NTK"])
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

    with pytest.raises(InvalidInputError, match=r"for Linear: give one of Conjugate, .*register"):
        random_features(Linear(), 5, jax.random.key(0), dim=DIM)
    draw.register(Linear, lambda kernel, width, key, dim: draw(RBF(1.0), width, key, dim))
    assert random_features(Linear(), 5, jax.random.key(0), dim=DIM)(x).shape == (4, 5)


@pytest.mark.parametrize(
    ("kernel", "width"), [(RBF(), 0), (RBF(), 2.0), (Conjugate(1), 1), (NTK(1), 2), (RBF(), True)]
)
def test_refuses_a_width_that_is_none(kernel, width):
    with pytest.raises(InvalidInputError, match="width must be"):
        random_features(kernel, width, jax.random.key(0), dim=DIM)
