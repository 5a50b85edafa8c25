"""The start of the NTK theorem has outputs of order 1 and a kernel of order m."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.networks import ntk_network

DRAWS = 2000


@pytest.mark.parametrize("depth", [2, 3])
def test_the_output_at_the_start_has_variance_one(depth):
    """E f² = E |h|² = 1 for |x| = 1 at every width: 2/m · m · ½ in each layer; heavy tails,
    so the band is of the measured spread."""
    description = ntk_network(3, 16, depth)
    x = jnp.asarray([[0.6, 0.0, 0.8]], jnp.float32)
    keys = jax.random.split(jax.random.key(0), DRAWS)
    squares = np.asarray(jax.jit(jax.vmap(lambda k: description.draw(k)(x)[0, 0] ** 2))(keys))
    stderr = squares.std() / np.sqrt(DRAWS)
    assert abs(squares.mean() - 1) < 4 * stderr
    assert abs(squares.mean() - 2) > 4 * stderr


def test_a_power_makes_the_start_of_the_first_layer_smaller():
    first = [ntk_network(3, 64, 3, power=p).layers[0].variance for p in (1.0, 2.0)]
    assert first == [2 / 64, 2 / 64**2]
    assert ntk_network(3, 64, 3, power=2.0).layers[1].variance == 2 / 64


def test_refuses_a_network_without_a_hidden_layer():
    with pytest.raises(InvalidInputError, match="depth of 2 or more"):
        ntk_network(3, 16, 1)
