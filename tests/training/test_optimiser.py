"""Each optimiser against its equations in NumPy, and against known members of the family."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.training import Optimiser

TARGET = np.array([3.0, -1.0])


def slow_path(kind, steps, rate, decay, mu=0.9, nu=0.999, eps=1e-8, clip=None):
    """θ after some steps on ½|θ − target|², written out."""
    p, m, v = np.array([1.0, 2.0]), np.zeros(2), np.zeros(2)
    for t in range(1, steps + 1):
        g = p - TARGET
        if clip is not None:
            g = g * min(1.0, clip / np.linalg.norm(g))
        if kind == "sgd":
            p = p - rate * (g + decay * p)
        elif kind == "momentum":
            m = mu * m + g + decay * p
            p = p - rate * m
        else:
            m, v = mu * m + (1 - mu) * g, nu * v + (1 - nu) * g**2
            hat = m / (1 - mu**t) / (np.sqrt(v / (1 - nu**t)) + eps)
            p = p - rate * (hat + decay * p)
    return p


def path(optimiser, steps, multiplier=1.0):
    params = jnp.asarray([1.0, 2.0])
    moments = optimiser.start(params)
    for _ in range(steps):
        rate = optimiser.rate * multiplier
        params, moments = optimiser.step(params, params - TARGET, moments, rate)
    return np.asarray(params), moments


@pytest.mark.parametrize("kind", ["sgd", "momentum", "adam"])
@pytest.mark.parametrize("decay", [0.0, 0.3])
@pytest.mark.parametrize("clip", [None, 0.5])
def test_follows_its_equations(kind, decay, clip):
    found, _ = path(Optimiser(kind, rate=0.1, decay=decay, clip=clip), 7)
    np.testing.assert_allclose(found, slow_path(kind, 7, 0.1, decay, clip=clip), rtol=1e-9)
    wrong = slow_path(kind, 7, 0.1, decay + 0.01, clip=clip)
    assert np.abs(found - wrong).max() > 1e-4


def test_momentum_without_memory_is_plain_descent():
    still, _ = path(Optimiser("momentum", rate=0.1, momentum=0.0), 5)
    plain, _ = path(Optimiser("sgd", rate=0.1), 5)
    np.testing.assert_allclose(still, plain, rtol=1e-12)


@pytest.mark.parametrize("kind", ["sgd", "momentum", "adam"])
def test_a_frozen_part_stands_still_with_its_moments(kind):
    optimiser = Optimiser(kind, rate=0.1, decay=0.5)
    params, moments = path(optimiser, 3, multiplier=0.0)
    np.testing.assert_array_equal(params, [1.0, 2.0])
    jax.tree.map(np.testing.assert_array_equal, moments, optimiser.start(jnp.zeros(2)))


def test_a_multiplier_scales_the_learning_rate():
    half, _ = path(Optimiser("adam", rate=0.2, decay=0.1), 4, multiplier=0.5)
    np.testing.assert_allclose(half, slow_path("adam", 4, 0.1, 0.1), rtol=1e-9)


def test_drops_multiply_the_rate_once_their_fraction_is_past():
    optimiser = Optimiser(rate=2.0, drops=((0.5, 0.1), (0.75, 0.5)))
    rates = [float(optimiser.rate_at(jnp.asarray(t), 8)) for t in range(8)]
    np.testing.assert_allclose(rates, [2, 2, 2, 2, 0.2, 0.2, 0.1, 0.1])


@pytest.mark.parametrize("kind", ["sgd", "momentum", "adam"])
def test_trains_in_the_type_of_the_parameters(kind):
    optimiser = Optimiser(kind, rate=jnp.asarray(0.1, jnp.float64), clip=1.0, decay=0.1)
    params = jnp.ones(2, jnp.float32)
    new, moments = optimiser.step(params, params, optimiser.start(params), optimiser.rate)
    assert new.dtype == jnp.float32
    assert all(leaf.dtype in (jnp.float32, jnp.int32) for leaf in jax.tree.leaves(moments))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kind": "lion"}, "kind must be 'sgd', 'momentum' or 'adam', got 'lion'"),
        ({"rate": -1.0}, "rate must be between 0 and inf, got -1.0"),
        ({"momentum": 1.5}, "momentum must be between 0 and 1, got 1.5"),
        ({"clip": 0.0}, "clip must be"),
        ({"drops": ((0.5,),)}, "drops must be pairs"),
        ({"rate": float("nan")}, "rate must be"),
    ],
)
def test_refuses_what_is_no_optimiser(wrong, said):
    with pytest.raises(InvalidInputError, match=said):
        Optimiser(**wrong)
