"""Parities, and the quadratic networks that are exactly them."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.inputs import Gaussian, Hypercube
from featlearn.targets import parity, parity_network

X = Hypercube(20).sample(jax.random.key(1), 64).astype(jnp.float64)


@pytest.mark.parametrize("degree", [2, 4, 8, 16])
def test_a_network_of_log_depth_is_the_parity_everywhere(degree: int) -> None:
    chosen = list(range(degree))[::-1]
    network = parity_network(degree, 20, coordinates=chosen)
    plain = parity(degree, 20, coordinates=chosen)
    np.testing.assert_array_equal(network(X), plain(X))
    off = X + jax.random.normal(jax.random.key(2), X.shape, jnp.float64) / 4
    np.testing.assert_allclose(network(off), plain(off), rtol=1e-6, atol=1e-9)
    assert network.levels == np.log2(degree)
    assert network.widths[0] == degree
    assert network.facts(Hypercube(20)).degree == degree


def test_a_wrong_sign_is_not_the_parity() -> None:
    network = parity_network(4, 20)
    wrong = eqx.tree_at(lambda t: t.signs[-1], network, -network.signs[-1])
    assert jnp.all(wrong(X) == -parity(4, 20)(X))


def test_values_and_facts() -> None:
    f = parity(3, 20, coordinates=[0, 4, 7])
    np.testing.assert_array_equal(f(X), X[:, 0] * X[:, 4] * X[:, 7])
    facts = f.facts(Hypercube(20))
    assert (facts.mean, facts.second_moment, facts.degree) == (0.0, 1.0, 3)
    shifted = parity(2, 3).facts(Gaussian(3, mean=[2.0, 3.0, 1.0]))
    assert shifted.mean == pytest.approx(6.0)
    assert shifted.second_moment == pytest.approx(5.0 * 10.0)
    np.testing.assert_allclose(shifted.linear, [3.0, 2.0, 0.0])
    assert f.facts(Gaussian(20)).leap == 3


def test_drawn_coordinates_differ_and_stack() -> None:
    keys = jax.random.split(jax.random.key(0), 5)
    fleet = jax.vmap(lambda k: parity(6, 20, key=k))(keys)
    y = jax.vmap(lambda f: f(X))(fleet)
    for i in range(5):
        one = parity(6, 20, key=keys[i])
        assert len(set(np.asarray(one.coordinates).tolist())) == 6
        np.testing.assert_array_equal(y[i], one(X))
    assert len({tuple(c) for c in np.asarray(fleet.coordinates).tolist()}) > 1


def test_refusals() -> None:
    with pytest.raises(InvalidInputError, match="5 coordinates of 4"):
        parity(5, 4)
    with pytest.raises(InvalidInputError, match="2 different ones"):
        parity(2, 4, coordinates=[1, 1])
    with pytest.raises(InvalidInputError, match="not both"):
        parity(2, 4, coordinates=[1, 2], key=jax.random.key(0))
    with pytest.raises(InvalidInputError, match="power of two"):
        parity_network(6, 20)
