"""Gated twins: equal at the start, linear in each layer, and blind to scale."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.networks import Conv, Dense, Description, Flatten, Gate, MeanPool, Skip, gated

RNG = np.random.default_rng(0)
KEY = jax.random.key(2)
DENSE = Description(5, Dense(8, "relu", bias=True), Skip(Dense(8, "relu")), Dense(2))
CONVOLUTIONAL = Description(
    (4, 4, 2), Conv(6, after="relu"), Skip(Conv(6, after="relu", bias=True)), MeanPool(), Dense(3)
)
POINTS = {
    DENSE: RNG.normal(size=(6, 5)).astype(np.float32),
    CONVOLUTIONAL: RNG.normal(size=(3, 4, 4, 2)).astype(np.float32),
}
BOTH = pytest.mark.parametrize("plain", [DENSE, CONVOLUTIONAL], ids=["dense", "convolutional"])
HARD = Gate(float("inf"))


@eqx.filter_jit
def value(network, x):
    return network(x)


@BOTH
def test_with_hard_gates_the_twin_starts_as_the_network(plain):
    x = POINTS[plain]
    wanted, hard, soft = (
        np.asarray(value(each.draw(KEY), x)) for each in (plain, gated(plain, HARD), gated(plain))
    )
    np.testing.assert_allclose(hard, wanted, rtol=1e-5, atol=1e-6)
    assert 1e-4 < np.abs(soft - wanted).max() < 0.2 * np.abs(wanted).max()


@BOTH
def test_gates_stay_while_weights_move(plain):
    """f is then linear in the weights of the first layer, which no ReLU network is."""
    x = POINTS[plain]
    description = Description(plain.given, plain.layers[0], *(
        (Flatten(), Dense(1)) if len(plain.given) == 3 else (Dense(1),)
    ))  # fmt: skip

    def middle_off(network):
        """f at the middle of two weights against the mean of f at both."""
        other = jax.tree.map(lambda a: -0.7 * a + 0.1, network.trained[0])

        def at(first):
            return np.asarray(value(network.at((first, *network.trained[1:])), x), np.float64)

        mean = jax.tree.map(lambda a, b: (a + b) / 2, network.trained[0], other)
        return np.abs(at(mean) - (at(network.trained[0]) + at(other)) / 2).max()

    assert middle_off(gated(description).draw(KEY)) < 1e-5
    assert middle_off(description.draw(KEY)) > 1e-2
    twin = gated(description).draw(KEY)
    moved = twin.at(jax.tree.map(lambda a: 3 * a, twin.trained))
    np.testing.assert_array_equal(twin.preactivations(x)[0], moved.preactivations(x)[0])


def test_a_gate_is_blind_to_scale_and_opens_where_z_is_positive():
    z = jnp.asarray(RNG.normal(size=(3, 10)), jnp.float32)
    gate = Gate(4.0)
    np.testing.assert_allclose(gate.open(1000 * z), gate.open(z), rtol=1e-5)
    size = np.sqrt(np.mean(np.asarray(z) ** 2, axis=1, keepdims=True))
    np.testing.assert_allclose(gate.open(z), 1 / (1 + np.exp(-4 * np.asarray(z) / size)), rtol=1e-5)
    np.testing.assert_array_equal(HARD.open(z), np.asarray(z) >= 0)
    np.testing.assert_array_equal(gate.open(jnp.zeros((2, 3))), 0.5)


def test_the_slope_by_the_input_goes_through_the_gates_and_is_finite_at_zero():
    twin = gated(DENSE).draw(KEY)
    slope = jax.jit(jax.grad(lambda x: twin(x).sum()))
    x = jnp.asarray(POINTS[DENSE])
    assert np.isfinite(slope(jnp.zeros_like(x))).all()
    hard = gated(DENSE, HARD).draw(KEY)
    by_hard = jax.jit(jax.grad(lambda x: hard(x).sum()))(x)
    assert np.abs(np.asarray(slope(x)) - np.asarray(by_hard)).max() > 1e-3


def test_what_has_no_relu_stays_as_it_is():
    linear = Description(5, Dense(3), Dense(2))
    assert gated(linear) == linear
    assert jax.tree.leaves(gated(linear).draw(KEY).frozen) == []
    assert gated(gated(DENSE)) == gated(DENSE)


@pytest.mark.parametrize("sharpness", [0.0, -1.0, float("nan")])
def test_refuses_gates_that_do_not_open(sharpness):
    with pytest.raises(InvalidInputError, match="positive sharpness"):
        Gate(sharpness)
