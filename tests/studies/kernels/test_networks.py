"""Finite networks: padding and copies, their two kernels, and what a fleet reports of them."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.engine import Cell
from featlearn.kernels import NTK, Conjugate, empirical_ntk
from featlearn.studies.kernels import _networks
from featlearn.studies.kernels._network_cells import cell, run
from featlearn.studies.kernels._networks import (
    ACTIVATIONS,
    FACTOR,
    WEIGHT,
    Experiment,
    measure_cells,
)

BIAS = 0.3
RELU, ERF = (jnp.asarray(i) for i in range(2))
X = jnp.asarray(np.random.default_rng(0).normal(size=(5, 3)))


def experiment(neurons=12, depth=2):
    return Experiment(depth, neurons, networks=2, points=5, dim=3)


@eqx.filter_jit
def _draw(made, distinct):
    return made.draw(jax.random.key(0), distinct)


def draw(made, distinct=None):
    return _draw(made, jnp.asarray(distinct or made.neurons))


@eqx.filter_jit
def _kernels(made, layers, activation, width):
    return made.finite(X, layers, activation, width, jnp.asarray(BIAS))


def kernels_of(made, layers, width=None, activation=RELU):
    return np.asarray(_kernels(made, layers, activation, jnp.asarray(width or made.neurons)))


def cut(layers, width):
    """The first `width` neurons of every layer, and nothing else."""
    first, *inner, last = layers
    kept = [{"w": first["w"][:width], "b": first["b"][:width]}]
    kept += [{"w": one["w"][:width, :width], "b": one["b"][:width]} for one in inner]
    return [*kept, {"w": last["w"][:width], "b": last["b"]}]


@pytest.mark.parametrize("depth", [1, 2])
def test_a_padded_network_is_the_network_without_its_padding(depth):
    made = experiment(depth=depth)
    layers = draw(made)
    small = kernels_of(experiment(5, depth), cut(layers, 5))
    np.testing.assert_allclose(kernels_of(made, layers, width=5), small, rtol=1e-12)
    assert np.abs(kernels_of(made, layers) / small - 1).max() > 1e-2


@pytest.mark.parametrize(("activation", "phi"), [(RELU, jax.nn.relu), (ERF, jax.lax.erf)])
def test_the_kernels_are_those_of_the_function_that_is_written_down(activation, phi):
    """Gradients by JAX of f as in the docstring; the last layer's are the conjugate kernel."""
    made = experiment()
    layers = jax.tree.map(lambda leaf: leaf.astype(jnp.float64), draw(made))

    def network(layers, x):
        one, two, last = layers
        h = phi(jnp.sqrt(WEIGHT / 3) * x @ one["w"].T + jnp.sqrt(BIAS) * one["b"])
        h = phi(jnp.sqrt(WEIGHT / 12) * h @ two["w"].T + jnp.sqrt(BIAS) * two["b"])
        return jnp.sqrt(WEIGHT / 12) * h @ last["w"] + jnp.sqrt(BIAS) * last["b"]

    found = kernels_of(made, layers, activation=activation)
    parts = empirical_ntk(network, layers).layers(X)
    np.testing.assert_allclose(found[0], sum(parts.values()), rtol=1e-11)
    np.testing.assert_allclose(found[1], parts["2"], rtol=1e-11)
    assert np.abs(kernels_of(made, layers, activation=1 - activation)[0] / found[0] - 1).max() > 0.1


def test_copies_are_worth_as_many_neurons_as_were_drawn():
    made = experiment(depth=1)
    copied = kernels_of(made, draw(made, distinct=4))
    four = kernels_of(made, draw(made), width=4)
    np.testing.assert_allclose(copied, four, rtol=1e-12)
    assert np.abs(kernels_of(made, draw(made)) / four - 1).max() > 1e-2


def test_the_closed_forms_are_the_right_one_and_two_wrong_ones():
    made = experiment()
    closed_forms = eqx.filter_jit(made.closed_forms)
    for place, (right, other) in enumerate((ACTIVATIONS, ACTIVATIONS[::-1])):
        forms = closed_forms(X, jnp.asarray(place), jnp.asarray(BIAS))
        for found, kernel in zip(forms, (NTK, Conjugate), strict=True):
            expected = [
                kernel(2, WEIGHT, BIAS, right)(X),
                kernel(2, FACTOR * WEIGHT, BIAS, right)(X),
                kernel(2, WEIGHT, BIAS, other)(X),
            ]
            np.testing.assert_allclose(found, expected, rtol=1e-12)


def make_cell(width, bias=0.3, repetition=0, distinct=None):
    parameters = cell("relu", 1, bias, width, neurons=16, networks=3, points=4, d=3,
                      distinct=distinct)  # fmt: skip
    return Cell(study="kernels/test", version=1, repetition=repetition, parameters=parameters)


FLEET = [
    make_cell(16),
    make_cell(8),
    make_cell(16, bias=0.0, repetition=1),
    make_cell(16, distinct=8),
]


@pytest.fixture(scope="module")
def measured():
    return [outcome.values for outcome in run(FLEET)]


def test_a_fleet_is_the_cells_one_by_one(measured):
    alone = measure_cells(FLEET[2:3])[0].values
    assert measured[2] == pytest.approx(alone, rel=1e-10)


def test_an_error_is_the_root_of_the_mean_square_over_the_networks(measured):
    """Networks drawn one by one from the cell's keys, each against the closed forms."""
    made = Experiment(1, 16, networks=3, points=4, dim=3)
    keys, sixteen = _networks._keys(FLEET[:1]), jnp.asarray(16)
    x = jax.random.normal(keys.data[0], (4, 3), jnp.float64)
    right = np.stack([kernel(1, WEIGHT, 0.3)(x) for kernel in (NTK, Conjugate)])

    @jax.jit
    def one(key):
        return made.finite(x, made.draw(key, sixteen), RELU, sixteen, jnp.asarray(0.3))

    draws = jax.random.split(jax.random.fold_in(keys.start[0], 16), 3)
    gaps = np.stack([one(key) for key in draws]) - right
    squares = (gaps**2).sum((2, 3)) / (right**2).sum((1, 2))
    found = [measured[0][f"{name}_error"] for name in ("tangent", "conjugate")]
    np.testing.assert_allclose(found, squares.mean(0) ** 0.5, rtol=1e-9)


def test_networks_of_another_width_or_with_copies_have_other_errors(measured):
    assert len({values["tangent_error"] for values in measured}) == len(FLEET)
    for values in measured:
        assert values["conjugate_wrong_activation"] > 0.2
