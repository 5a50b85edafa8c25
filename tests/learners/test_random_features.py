"""Neurons as they were drawn, and ridge on them."""

import jax
import numpy as np
import pytest

from featlearn import memory
from featlearn.errors import InvalidInputError
from featlearn.kernels import NTK, RBF, random_features
from featlearn.learners import KernelRidge, RandomFeatures
from featlearn.samples import Sample


def test_neurons_are_drawn_with_unit_variance_per_input(random_fit):
    fit = random_fit
    w, b = np.asarray(fit.weight, np.float64), np.asarray(fit.bias, np.float64)
    squares = 8 * w**2
    assert abs(squares.mean() - 1) < 4 * np.sqrt(2 / squares.size)
    assert abs(w.mean()) < 4 / np.sqrt(8 * w.size)
    assert abs((b**2).mean() - 1) < 4 * np.sqrt(2 / b.size)


def test_the_labels_keep_their_linear_part(random_fit, other):
    assert not random_fit.constant.any()
    assert not random_fit.linear.any()
    assert abs(np.mean(random_fit(other.x)[:, 0]) - 5) < 0.5


@pytest.mark.parametrize("width", [0, -2, 1.5, True])
def test_refuses_a_width_that_is_none(width):
    with pytest.raises(InvalidInputError, match="width must be"):
        RandomFeatures(width)


def test_features_of_a_kernel_have_a_ridge_head(easy, ridge, grid, key):
    fit = RandomFeatures(60, RBF(1.0), penalties=grid).fit(easy.sample, key=key)
    phi = np.asarray(random_features(RBF(1.0), 60, key, dim=8)(easy.sample.x))
    np.testing.assert_allclose(fit.features(easy.sample.x), phi, rtol=1e-9, atol=1e-12)
    path = ridge(phi, easy.sample.y, grid)
    np.testing.assert_allclose(fit.record["validation"], path.errors, rtol=1e-8)
    np.testing.assert_allclose(
        fit(easy.sample.x), phi @ path.heads[path.best][:, 0], rtol=1e-6, atol=1e-9
    )


def test_many_features_of_a_kernel_approach_kernel_ridge(easy, key):
    grid = (1e-2,)
    exact = KernelRidge(RBF(1.0), penalties=grid).fit(easy.sample, key=key)(easy.sample.x)
    errors = []
    for width in (50, 5000):
        fit = RandomFeatures(width, RBF(1.0), penalties=grid).fit(easy.sample, key=key)
        errors.append(np.linalg.norm(fit(easy.sample.x) - exact) / np.linalg.norm(exact))
    assert errors[1] < 0.1 < 3 * errors[1] < errors[0]


def test_a_width_that_limits_is_flagged(problem, links, key):
    """He2 in d = 5 has 21 monomials up to its degree: 8 features are too few, 300 are not."""
    sample = problem(links["he2"], seed=0, n=600, dim=5, noise=0.5).sample
    for kernel in (None, NTK(1, bias_variance=0.5)):
        few, many = (RandomFeatures(w, kernel).fit(sample, key=key) for w in (8, 300))
        assert bool(few.record["width_limited"])
        assert not bool(many.record["width_limited"])


def test_refuses_what_is_no_kernel():
    with pytest.raises(InvalidInputError, match="kernel must be a kernel or None"):
        RandomFeatures(8, "rbf")


def test_the_neurons_are_the_same_with_and_without_a_flag(easy, key, grid):
    """Numbers of an earlier version, so that stored results stay comparable."""
    fit = RandomFeatures(3, penalties=grid).fit(easy.sample, key=jax.random.key(3))
    np.testing.assert_allclose(fit.weight[0, :2], [-0.8408701, -0.603221], rtol=1e-6)


@pytest.mark.parametrize(("width", "said"), [(40, "smaller width\\."), (900, "or fewer samples")])
def test_a_width_that_memory_cannot_hold_is_refused(width, said, easy, key, monkeypatch):
    monkeypatch.setattr(memory, "device_bytes", lambda: 1000)
    with pytest.raises(InvalidInputError, match=f"{width} random features of .*{said}"):
        RandomFeatures(width).fit(Sample(easy.sample.x[:100], easy.sample.y[:100]), key=key)
