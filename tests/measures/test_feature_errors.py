"""Theorem 2's error: closed forms, a slow reference, rotations, surplus neurons, time."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes

import featlearn as fl
from featlearn.errors import InvalidInputError
from featlearn.measures import feature_error
from featlearn.measures.estimates import over_draws

KEY = jax.random.key(6)
N = 20_000  # everywhere, so that one program serves all
E = np.eye(4)
TURN = np.array([[0.6, -0.8], [0.8, 0.6]])


def test_rotated_features_have_no_error(first_layer, centred_task) -> None:
    turned = first_layer(jnp.asarray(TURN @ E[:2]))
    found = feature_error(turned, centred_task, 1, key=KEY, n=N)
    assert float(found.value) < 1e-9
    assert float(found.null) == pytest.approx(4.0, rel=0.1)


def test_a_foreign_part_counts_with_its_energy(first_layer, centred_task) -> None:
    """S = (x_1 + εx_3, x_2) is ε² away: E‖S*‖² + E‖S‖² − 2·2."""
    fit = first_layer(jnp.asarray(E[:2] + 0.1 * E[[2, 1]] * [[1], [0]]))
    found = feature_error(fit, centred_task, 1, key=KEY, n=N)
    assert abs(float(found.value) - 0.01) < 4 * float(found.stderr) + 1e-6
    assert float(found.stderr) < 2e-3


def test_the_gap_enters_as_a_square(first_layer, centred_task) -> None:
    fit = first_layer(jnp.asarray(E[:2] + 0.1 * E[[2, 3]]))
    own, other = (feature_error(fit, centred_task, 1, key=KEY, n=N, gap=g) for g in (None, 0.3))
    assert float(other.value) == pytest.approx(0.09 * float(own.value))
    second = feature_error(centred_task.target, centred_task, 2, key=KEY, n=N)
    assert float(second.value) < 1e-9
    plain = np.mean(np.asarray(centred_task.target.features(np.zeros((1, 4)), 2)))
    assert plain == 0
    assert float(second.null) == pytest.approx(0.09 * 2 * (4 + 4 - 1 - 1), rel=0.3)


@pytest.mark.parametrize("surplus", [0.0, 0.2])
def test_wider_layers_are_charged_for_what_is_surplus(first_layer, centred_task, surplus) -> None:
    """V S* with VᵀV = I is exact, and an unrelated neuron adds its energy."""
    v = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 2)))[0]
    weight = np.concatenate([v @ E[:2], surplus * E[3:]])
    found = feature_error(first_layer(jnp.asarray(weight)), centred_task, 1, key=KEY, n=N)
    assert abs(float(found.value) - surplus**2) < 4 * float(found.stderr) + 1e-9


@pytest.mark.parametrize("width", [1, 6])
def test_equals_procrustes_on_padded_features(first_layer, correction_task, width) -> None:
    fit = first_layer(jax.random.normal(KEY, (width, 4), jnp.float64))
    true = over_draws(lambda x: x.astype(jnp.float64)[:, :2], correction_task.inputs, KEY, N)
    x = over_draws(lambda x: x.astype(jnp.float64), correction_task.inputs, KEY, N)
    padded = [np.zeros((N, fit.weight.shape[0])) for _ in range(2)]
    padded[0][:, :2], padded[1][:] = true, fit.features(x)
    turn, _ = orthogonal_procrustes(padded[1], padded[0])
    expected = np.sum((padded[0] - padded[1] @ turn) ** 2) / N
    found = feature_error(fit, correction_task, 1, key=KEY, n=N)
    assert float(found.value) == pytest.approx(expected, rel=1e-6)
    unturned = np.sum((padded[0] - padded[1]) ** 2) / N
    assert unturned > 1.01 * expected


def test_the_null_is_what_unrelated_features_have(first_layer, correction_task) -> None:
    """The same neurons at other points: only the means remain common."""
    fit = first_layer(jax.random.normal(KEY, (3, 4), jnp.float64))
    x, other = (correction_task.inputs.sample(jax.random.key(s), 200_000) for s in (1, 2))
    s = np.zeros((len(x), fit.weight.shape[0]))
    s[:, :2] = x[:, :2]
    turn, _ = orthogonal_procrustes(np.asarray(fit.features(other)), s)
    by_draws = np.sum((s - np.asarray(fit.features(other)) @ turn) ** 2) / len(x)
    found = feature_error(fit, correction_task, 1, key=KEY, n=N)
    assert float(found.null) == pytest.approx(by_draws, rel=0.02)
    assert float(found.value) < float(found.null)


def test_maps_over_a_trajectory_and_over_keys(first_layer, centred_task) -> None:
    path = jnp.stack([jnp.asarray(E[:2] + e * E[2:]) for e in (1.0, 0.1, 0.0)])

    @eqx.filter_jit
    def over_time(weights):
        return jax.vmap(lambda w: feature_error(first_layer(w), centred_task, 1, key=KEY, n=N))(
            weights
        )

    curve = over_time(path).value
    for i in range(3):
        one = feature_error(first_layer(path[i]), centred_task, 1, key=KEY, n=N)
        assert float(curve[i]) == pytest.approx(float(one.value), abs=1e-9)
    assert curve[0] > curve[1] > curve[2]


def test_hidden_values_go_before_outputs(correction_task) -> None:
    """A network that shows its outputs: hidden² sums to the part that the layer adds."""

    class Network(eqx.Module):
        target: fl.targets.Dense

        def features(self, x: jax.Array, level: int = 1) -> jax.Array:
            return self.target.outputs(x, level)

        def hidden(self, x: jax.Array, level: int = 1) -> jax.Array:
            return jnp.sqrt(self.target.gap(level)) * self.target.features(x, level)

    network = Network(correction_task.target)
    assert float(feature_error(network, correction_task, 2, key=KEY, n=N).value) < 1e-9
    assert float(fl.measures.contamination(network, correction_task, 2, key=KEY, n=N).value) < 1e-9


def test_targets_without_gaps_need_one(first_layer) -> None:
    task = fl.Task(fl.inputs.Gaussian(4), fl.targets.single_index({2: 1.0}, 4, key=KEY))
    fit = first_layer(task.target.directions.T)
    with pytest.raises(InvalidInputError, match="MultiIndex declares no α"):
        feature_error(fit, task, 1, key=KEY, n=N)
    assert float(feature_error(fit, task, 1, key=KEY, n=100, gap=1.0).value) < 1e-9
