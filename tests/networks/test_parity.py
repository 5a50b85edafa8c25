"""The network by hand on every point of small cubes, and its norm."""

from itertools import product

import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.networks import parity_network
from featlearn.networks.parity import path_norm, product_norm


@pytest.mark.parametrize("coordinates", [(0, 1), (4, 0, 2, 1), (0, 1, 2, 3, 4, 5), range(8)])
def test_is_exact_on_every_point(coordinates):
    d = 8
    z = np.array(list(product([-1.0, 1.0], repeat=d)), np.float32)
    wanted = z[:, list(coordinates)].prod(axis=1)
    got = np.asarray(parity_network(d, coordinates)(z / np.sqrt(d, dtype=np.float32)))[:, 0]
    np.testing.assert_allclose(got, wanted, atol=2e-5)
    assert parity_network(d, coordinates).trained[0]["weight"].shape == (len(coordinates), d)


def test_no_neuron_can_be_left_out():
    network = parity_network(6, range(6))
    z = np.array(list(product([-1.0, 1.0], repeat=6)), np.float32) / np.sqrt(6)
    first, last = network.trained
    for i in range(6):
        fewer = {**last, "weight": last["weight"].at[0, i].set(0.0)}
        gap = np.asarray(network.at((first, fewer))(z)) - np.asarray(network(z))
        assert np.abs(gap).max() > 1


def test_its_norm_is_that_of_the_head_of_the_file():
    network = parity_network(40, range(6))
    weight, head = network.trained[0]["weight"], network.trained[1]["weight"]
    np.testing.assert_array_equal(np.abs(head), 1.0)
    assert float(product_norm(weight, head)) == pytest.approx(np.sqrt(6 * 18 * 40))
    assert float(product_norm(weight, head)) == pytest.approx(np.linalg.norm(weight))
    assert float(path_norm(weight, head)) == pytest.approx(10 * np.sqrt(6 * 40))


def test_norms_do_not_see_how_a_neuron_is_scaled():
    weight, head = jnp.asarray([[3.0, 4.0], [0.0, 1.0]]), jnp.asarray([[2.0, -1.0]])
    scaled = weight * jnp.asarray([[5.0], [0.1]]), head / jnp.asarray([5.0, 0.1])
    for norm, wanted in ((product_norm, np.sqrt(101)), (path_norm, 11.0)):
        assert float(norm(weight, head)) == pytest.approx(wanted)
        assert float(norm(*scaled)) == pytest.approx(wanted)


@pytest.mark.parametrize("coordinates", [(), (0,), (0, 1, 2), (1, 1), (0, 9), (-1, 2)])
def test_refuses_what_is_no_even_parity(coordinates):
    with pytest.raises(InvalidInputError, match="even number of different coordinates"):
        parity_network(8, coordinates)
