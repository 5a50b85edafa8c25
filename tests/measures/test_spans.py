"""The span of a layer's outputs: closed forms under Gaussian inputs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.measures import span_error

KEY = jax.random.key(6)
N = 20_000  # everywhere, so that one program serves all
E = np.eye(4)
MANY = np.random.default_rng(0).normal(size=(8, 2))


def test_many_neurons_in_the_true_plane_span_all_products(first_layer, correction_task) -> None:
    fit = first_layer(jnp.asarray(MANY @ E[:2]))
    assert float(span_error(fit, correction_task, 1, key=KEY, n=N).value) < 1e-9


def test_two_neurons_of_another_basis_do_not(first_layer, centred_task) -> None:
    """⅕(x_1 + 2x_2)², ⅕(2x_1 − x_2)²: (8c²s² + (c² − s²)²)/5 = 0.328 stays unexplained."""
    basis = np.array([[1, 2], [2, -1]]) / np.sqrt(5)
    dead = span_error(first_layer(jnp.asarray(basis @ E[:2])), centred_task, 1, key=KEY, n=N)
    assert abs(float(dead.value) - 0.328) < 4 * float(dead.stderr)
    own = span_error(first_layer(jnp.asarray(E[:2])), centred_task, 1, key=KEY, n=N)
    assert abs(float(own.value) - 1 / 5) < 4 * float(own.stderr)  # x_1x_2 alone is missing


def test_contaminated_neurons(first_layer, centred_task) -> None:
    """x_1 → x_1 + εx_3 has correlation ρ² with x_1² and ρ with x_1x_2, ρ² = 1/(1 + ε²)."""
    weight = MANY @ (E[:2] + 0.3 * E[[2, 1]] * [[1], [0]])
    found = span_error(first_layer(jnp.asarray(weight)), centred_task, 1, key=KEY, n=N)
    rho2 = 1 / 1.09
    expected = (2 * (1 - rho2**2) + 1 - rho2) / 5
    assert abs(float(found.value) - expected) < 4 * float(found.stderr)
    first_powers = 3 * (1 - rho2) / 5
    assert abs(float(found.value) - first_powers) > 4 * float(found.stderr)


def test_unrelated_outputs_explain_nothing(first_layer, centred_task) -> None:
    fit = first_layer(jnp.asarray(MANY @ E[2:]))
    found = span_error(fit, centred_task, 1, key=KEY, n=N)
    assert 1 - 4 * float(found.stderr) < float(found.value) < 1.05


def test_silent_neurons_do_no_harm(first_layer, centred_task) -> None:
    weight = np.concatenate([MANY @ E[:2], np.zeros((3, 4))])
    found = span_error(first_layer(jnp.asarray(weight)), centred_task, 1, key=KEY, n=N)
    assert float(found.value) < 1e-9
    silent = first_layer(jnp.zeros((3, 4)))
    assert float(span_error(silent, centred_task, 1, key=KEY, n=N).value) == pytest.approx(1.0)


def test_outputs_of_a_model_are_used_where_it_has_them(correction_task) -> None:
    found = span_error(correction_task.target, correction_task, 1, key=KEY, n=N)
    assert 0.1 < float(found.value) < 0.3


def test_maps_over_a_trajectory(first_layer, centred_task) -> None:
    path = jnp.stack([jnp.asarray(MANY @ (E[:2] + e * E[2:])) for e in (1.0, 0.1)])
    curve = jax.vmap(lambda w: span_error(first_layer(w), centred_task, 1, key=KEY, n=N).value)(
        path
    )
    one = span_error(first_layer(path[1]), centred_task, 1, key=KEY, n=N)
    assert float(curve[1]) == pytest.approx(float(one.value), rel=1e-6)
    assert curve[0] > curve[1]


def test_too_few_draws(first_layer, centred_task) -> None:
    with pytest.raises(InvalidInputError, match="n must be at least 20"):
        span_error(first_layer(jnp.eye(4)), centred_task, 1, key=KEY, n=10)
