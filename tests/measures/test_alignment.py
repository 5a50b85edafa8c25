"""Drift and alignment of kernels against dense formulas, closed forms and repeated draws."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.measures import kernel_alignment, kernel_change, kernel_drift


def gram(seed, n=12, rank=5):
    features = np.random.default_rng(seed).normal(size=(n, rank)) + 0.5
    return features @ features.T


def dense_alignment(a, b, centred=True):
    n = len(a)
    h = np.eye(n) - centred * np.ones((n, n)) / n
    a, b = h @ a @ h, h @ b @ h
    return np.sum(a * b) / np.linalg.norm(a) / np.linalg.norm(b)


def dense_change(a, b):
    return np.linalg.norm(b - a) / np.linalg.norm(a)


def dense_jackknife(measure, a, b):
    n = len(a)
    left = [measure(*(np.delete(np.delete(k, p, 0), p, 1) for k in (a, b))) for p in range(n)]
    return np.sqrt((n - 1) / n * np.sum((left - np.mean(left)) ** 2))


@pytest.mark.parametrize("scale", [1.0, 1e-120, 1e120])
def test_values_and_errors_are_those_of_the_dense_formulas(scale):
    a, b = gram(0), gram(1)
    change, alignment = kernel_change(scale * a, scale * b), kernel_alignment(scale * a, b)
    plain = kernel_alignment(a, b, centred=False)
    for found, dense in (
        (change, dense_change),
        (alignment, dense_alignment),
        (plain, lambda u, v: dense_alignment(u, v, centred=False)),
    ):
        assert float(found.value) == pytest.approx(dense(a, b), rel=1e-10)
        assert float(found.stderr) == pytest.approx(dense_jackknife(dense, a, b), rel=1e-7)
        assert int(found.n) == 12
    assert abs(float(plain.value) - float(alignment.value)) > 0.05


def test_a_factor_changes_a_kernel_and_leaves_it_aligned():
    a = gram(0)
    assert float(kernel_change(a, 3 * a).value) == pytest.approx(2.0)
    assert float(kernel_change(a, a).value) == 0.0
    assert float(kernel_alignment(a, 3 * a).value) == pytest.approx(1.0)
    assert float(kernel_alignment(a, 3 * a).stderr) < 1e-7


def test_a_constant_is_seen_without_centring_alone():
    a, shifted = gram(0), gram(0) + 100.0
    assert float(kernel_alignment(a, shifted).value) == pytest.approx(1.0)
    assert float(kernel_alignment(a, shifted, centred=False).value) < 0.9


def test_orthogonal_kernels_have_alignment_zero():
    e = np.linalg.qr(np.c_[np.ones(6), np.random.default_rng(2).normal(size=(6, 2))])[0]
    one, other = np.outer(e[:, 1], e[:, 1]), np.outer(e[:, 2], e[:, 2])
    assert abs(float(kernel_alignment(one, other).value)) < 1e-12


def test_kernels_without_a_centred_part_are_not_aligned_with_anything():
    for flat in (np.zeros((5, 5)), 0.1 * np.ones((5, 5))):
        assert float(kernel_alignment(flat, gram(0, 5)).value) == 0.0
    assert float(kernel_change(np.zeros((5, 5)), np.zeros((5, 5))).value) == 0.0


def test_the_standard_error_is_that_of_repeated_draws():
    """Of 400 sets of 60 points each; the spread of a spread is known to 1/√800, and half the
    error must be rejected."""
    z = np.random.default_rng(3).normal(size=(400, 60, 3))

    def one(z):
        bent = jnp.tanh(z)
        estimate = kernel_alignment(z @ z.T, bent @ bent.T + jnp.outer(z[:, 0], z[:, 0]))
        return estimate.value, estimate.stderr

    values, errors = map(np.asarray, jax.jit(jax.vmap(one))(z))
    ratio = np.sqrt(np.mean(errors**2)) / values.std()
    assert abs(ratio - 1) < 4 * np.hypot(1 / np.sqrt(800), 0.02)
    assert abs(ratio / 2 - 1) > 4 * np.hypot(1 / np.sqrt(800), 0.02)


def test_drift_of_layers_and_where_it_comes_from():
    before = {"0": gram(0), "1": gram(1)}
    after = {"0": gram(0) + 0.1 * gram(2), "1": 1.1 * gram(1)}
    drift = kernel_drift(before, after)
    moved = {k: np.sum((after[k] - before[k]) ** 2) for k in before}
    for name in before:
        dense = dense_change(before[name], after[name])
        assert float(drift[name].change.value) == pytest.approx(dense)
        assert float(drift[name].share) == pytest.approx(moved[name] / sum(moved.values()))
    assert float(drift["1"].alignment.value) == pytest.approx(1.0)
    assert float(drift["0"].alignment.value) < 0.9999


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.ones((3, 4)), np.ones((3, 4))),
        (np.ones((4, 4)), np.ones((3, 3))),
        (np.ones((2, 2)), np.ones((2, 2))),
        (np.ones(4), np.ones(4)),
        ([[1.0]], [[1.0]]),
    ],
)
def test_refuses_what_are_no_gram_matrices(one, other):
    for measure in (kernel_alignment, kernel_change):
        with pytest.raises(InvalidInputError, match="shape"):
            measure(one, other)


def test_refuses_layers_that_do_not_match():
    for before, after in (({}, {}), ({"0": gram(0)}, {"1": gram(0)})):
        with pytest.raises(InvalidInputError, match="same layers"):
            kernel_drift(before, after)
