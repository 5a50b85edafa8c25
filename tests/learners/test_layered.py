"""The networks of the beyond-kernels experiment against their formulas in NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.learners._layered import Chain, ResidualNetwork

KEY = jax.random.key(0)
X = np.asarray(jax.random.normal(KEY, (7, 3), jnp.float32))
ONE = np.ones((7, 1), np.float32)


def relu(z):
    return np.maximum(z, 0)


def numbers(weights):
    return {name: np.asarray(value, np.float64) for name, value in weights.items()}


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_low_rank_form():
    """f = g + A σ(V′(g, 1)), g = A σ(W(x, 1)); without the first term it would be another net."""
    network = ResidualNetwork(5, full=False, start="slides")
    weights = network.draw(KEY, 3, 2)
    w = numbers(weights)
    g = relu(np.hstack([X, ONE]) @ w["W"].T) @ w["A"].T
    second = relu(np.hstack([g, ONE]) @ w["V"].T) @ w["A"].T
    close(network(weights, X), g + second)
    close(network.first_output(weights, X), g)
    assert np.abs(second).max() > 0.1


def test_full_form():
    network = ResidualNetwork(5, full=True, start="slides")
    weights = network.draw(KEY, 3, 2)
    w = numbers(weights)
    h = relu(np.hstack([X, ONE]) @ w["W"].T)
    close(network(weights, X), (h + relu(h @ w["V"].T)) @ w["A"].T)
    assert w["V"].shape == (5, 5)


def test_an_inner_matrix_takes_the_place_of_a_in_the_second_layer():
    network = ResidualNetwork(5, full=False, start="slides")
    weights = network.draw(KEY, 3, 2)
    frozen = weights | {"inner": weights["A"]}
    twice = frozen | {"A": 2 * weights["A"]}
    close(network(frozen, X), network(weights, X))
    close(network(twice, X), 2 * network(weights, X))  # linear in A
    assert np.abs(network(weights | {"A": twice["A"]}, X) - network(twice, X)).max() > 1e-2


@pytest.mark.parametrize("depth", [2, 3])
def test_chains(depth):
    network = Chain(depth, 5, "later")
    weights = network.draw(KEY, 3, 2)
    w = numbers(weights)
    h = relu(np.hstack([X, ONE]) @ w["W"].T)
    if depth == 3:
        h = relu(np.hstack([h, ONE]) @ w["V2"].T)
    close(network(weights, X), h @ w["A"].T)
    close(network.feature(weights, X, depth - 1), h)
    assert network.levels == depth - 1


@pytest.mark.parametrize(("start", "first"), [("slides", 1 / 4), ("later", 1 / 400)])
def test_variances_of_the_start(start, first):
    """A, V of variance 1/m; W of 1/d on the slides and of 1/m later."""
    m, d, k = 400, 4, 6
    weights = ResidualNetwork(m, full=False, start=start).draw(KEY, d, k)
    for name, variance in (("A", 1 / m), ("V", 1 / m), ("W", first)):
        drawn = np.asarray(weights[name], np.float64)
        error = variance * (2 / drawn.size) ** 0.5
        assert abs(np.mean(drawn**2) - variance) < 4 * error
        assert drawn.dtype == np.float64
        assert weights[name].dtype == jnp.float32
