"""Descent on UVᵀ against the same iteration in NumPy, and what its start decides."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.learners import FactoredDescent
from featlearn.learners import factored as module
from featlearn.learners._sensing import Measurements

RNG = np.random.default_rng(0)
LEFT, RIGHT = RNG.normal(size=(6, 1)), RNG.normal(size=(5, 1))
TRUTH = LEFT @ RIGHT.T
MATRICES = RNG.normal(size=(27, 6, 5))
LABELS = np.einsum("npq,pq->n", MATRICES, TRUTH)


def off(found, truth=TRUTH):
    return np.linalg.norm(np.asarray(found.matrix) - truth) / np.linalg.norm(truth)


def by_hand(u, v, eta, beta, steps):
    """The heavy ball of the file's head, in float64."""
    u, v = np.asarray(u, np.float64), np.asarray(v, np.float64)
    before = u, v
    for _ in range(steps):
        residual = np.einsum("npq,pq->n", MATRICES, u @ v.T) - LABELS
        slope = np.einsum("n,npq->pq", residual, MATRICES) / len(LABELS)
        new = (
            u - eta * slope @ v + beta * (u - before[0]),
            v - eta * slope.T @ u + beta * (v - before[1]),
        )
        before, (u, v) = (u, v), new
    return u @ v.T


def start_and_rate(learner, key):
    rows = jnp.asarray(MATRICES, jnp.float32).reshape(27, -1)
    n = jnp.float32(27)
    scale = module.spectral_norm((jnp.asarray(LABELS, jnp.float32) @ rows / n).reshape(6, 5))
    start = module._start(learner, key, (6, 5), scale)
    return start, float(module._step_size(learner, rows, n, start, scale))


def test_steps_are_those_of_the_heavy_ball(key):
    learner = FactoredDescent(start=0.3, steps=50, tolerance=1e-12)
    start, eta = start_and_rate(learner, key)
    got = np.asarray(learner.recover(MATRICES, LABELS, key=key).matrix)
    wanted = by_hand(start.u, start.v, eta, 0.9, 50)
    np.testing.assert_allclose(got, wanted, atol=1e-4 * np.abs(wanted).max())
    assert np.abs(got - by_hand(start.u, start.v, eta, 0.8, 50)).max() > 1e-2


def test_the_start_is_zero_as_a_product(key):
    start, _ = start_and_rate(FactoredDescent(start=2.0), key)
    assert start.u.shape == (6, 6)
    assert start.v.shape == (5, 6)
    np.testing.assert_allclose(start.u @ start.v.T, 0, atol=1e-5)
    assert np.linalg.norm(start.u) > 1


def test_a_small_start_finds_low_rank_and_a_large_one_does_not(key):
    """27 numbers for a matrix with 30 entries and 10 degrees of freedom."""
    small, large = (
        FactoredDescent(start=jnp.float32(start)).recover(MATRICES, LABELS, key=key)
        for start in (1e-5, 10.0)
    )
    assert off(small) < 0.01
    assert off(large) > 0.1
    np.testing.assert_allclose(small(MATRICES), LABELS, atol=2e-3 * np.abs(LABELS).max())


def test_it_ends_where_the_labels_are_met(key):
    got = FactoredDescent(tolerance=1e-2).recover(MATRICES, LABELS, key=key)
    assert float(got.record["residual"]) <= 1e-2
    assert int(got.record["steps"]) < 10_000


def test_padded_measurements_do_not_exist(key):
    padded = np.concatenate([MATRICES, 9 * np.ones((3, 6, 5))])
    labels = np.concatenate([LABELS, [5.0, 5.0, 5.0]])
    learner = FactoredDescent(steps=100, tolerance=1e-9, start=0.1)

    def one(count):
        return learner.recover_arrays(Measurements(padded, labels, count), key).matrix

    both = jax.jit(jax.vmap(one))(jnp.array([27, 20]))
    alone = learner.recover(MATRICES[:20], LABELS[:20], key=key).matrix
    np.testing.assert_allclose(both[1], alone, atol=1e-3 * np.abs(alone).max())
    assert np.abs(both[0] - alone).max() > 1e-2


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"inner": 3}, "even number"),
        ({"inner": 0}, "even number"),
        ({"steps": 0}, "steps of at least 1"),
        ({"momentum": 1.0}, "momentum"),
        ({"start": 0.0}, "start must be positive"),
        ({"rate": -1.0}, "rate must be positive"),
        ({"tolerance": float("inf")}, "tolerance must be positive"),
    ],
)
def test_refuses_numbers_that_cannot_be(given, says):
    with pytest.raises(InvalidInputError, match=says):
        FactoredDescent(**given)
