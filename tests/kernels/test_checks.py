"""What no kernel can work with is refused in one sentence, before the work starts."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn import memory
from featlearn.errors import InvalidInputError
from featlearn.kernels import NTK, RBF, DotProduct, Laplace, empirical_ntk, random_features

X = np.random.default_rng(0).normal(size=(5, 3))


def with_hole(x):
    x = x.copy()
    x[3, 1] = np.nan
    return x


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: RBF(0), "bandwidth must be positive"),
        (lambda: RBF(jnp.asarray(-1.0)), "bandwidth must be positive"),
        (lambda: RBF(np.array([1.0, np.nan])), "bandwidth must be positive"),
        (lambda: RBF([1.0, 2.0]), "one number.*several kernels"),
        (lambda: Laplace("wide"), "one number"),
        (lambda: NTK(1, bias_variance=None), "one number"),
        (lambda: NTK(True), "depth"),
        (lambda: DotProduct(3.0), "as a tuple"),
        (lambda: DotProduct("ab"), "as a tuple"),
    ],
)
def test_fields_that_are_no_numbers(make, said):
    with pytest.raises(InvalidInputError, match=said):
        make()


def test_a_stack_of_numbers_passes_also_while_it_is_traced():
    assert RBF(jnp.array([1.0, 2.0])).bandwidth.shape == (2,)
    traced = jax.vmap(lambda h: RBF(h).between(X, X)[0, 1])(jnp.array([1.0, 2.0]))
    assert traced[0] < traced[1]


@pytest.mark.parametrize(
    ("x", "said"),
    [
        (with_hole(X), r"1 values that are NaN or infinite \(first in row 3\)"),
        (X[:, 0], r"shape \(n, d\)"),
        (X[:0], "at least one point"),
        (X[:, :0], "at least one number"),
        (np.array([["a"]]), "real numbers"),
        (X.astype(complex), "real numbers"),
    ],
)
def test_points_that_are_none(x, said):
    for call in (lambda: RBF()(x), lambda: NTK(1).diagonal(x), lambda: RBF()(X, x)):
        with pytest.raises(InvalidInputError, match=said):
            call()


def test_an_empirical_kernel_refuses_them_too():
    kernel = empirical_ntk(lambda w, x: x @ w, np.ones(3))
    with pytest.raises(InvalidInputError, match="NaN or infinite"):
        kernel(with_hole(X))
    with pytest.raises(InvalidInputError, match=r"fn fails on points of shape \(2,\)"):
        kernel(X[:, :2])


def test_a_matrix_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "device_bytes", lambda: 2**30)
    many = np.zeros((20_000, 1))
    with pytest.raises(InvalidInputError, match=r"20000 × 20000 points .* dtype='float32', kernel"):
        RBF()(many)
    with pytest.raises(InvalidInputError, match=r"needs about 1.6 GB .* fewer points, kernel.prod"):
        RBF()(many, many, dtype="float32")


def test_random_features_want_a_dimension():
    with pytest.raises(InvalidInputError, match="dim must be an integer of at least 1"):
        random_features(RBF(), 3, jax.random.key(0), dim=0)
