"""Energy of a layer's form outside the true span: from draws, and from weights."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.measures import contamination, foreign_energy

KEY = jax.random.key(6)
E = np.eye(4)
N = 20_000


def slowly(weight: np.ndarray, signs: np.ndarray) -> float:
    """Entry by entry: P projects on the first two coordinates."""
    form = weight.T @ np.diag(signs) @ weight
    inside = sum(form[i, j] ** 2 for i in range(2) for j in range(2))
    return 1 - inside / sum(v**2 for v in form.ravel())


@pytest.mark.parametrize("signed", [False, True])
def test_equals_the_form_of_the_weights(first_layer, correction_task, signed) -> None:
    weight = np.random.default_rng(1).normal(size=(6, 4))
    signs = np.array([1, -1, 1, 1, -1, 1]) if signed else np.ones(6)
    expected = slowly(weight, signs)
    fit = first_layer(jnp.asarray(weight), jnp.asarray(signs))
    found = contamination(fit, correction_task, 1, key=KEY, n=N)
    assert abs(float(found.value) - expected) < 4 * float(found.stderr)
    assert 0 < float(found.stderr) < 0.05
    form = jnp.asarray(weight.T @ np.diag(signs) @ weight)
    assert float(foreign_energy(form, jnp.asarray(E[:, :2]))) == pytest.approx(expected)
    if signed:
        assert abs(slowly(weight, np.ones(6)) - expected) > 4 * float(found.stderr)


def test_small_contaminations_keep_their_digits(first_layer, correction_task) -> None:
    """(x_1 + εx_3)² + x_2²: the form has ε twice off the diagonal, 2ε²/2 in all."""
    weight = E[:2] + 1e-3 * E[[2, 1]] * [[1], [0]]
    found = contamination(first_layer(jnp.asarray(weight)), correction_task, 1, key=KEY, n=N)
    assert float(found.value) == pytest.approx(1e-6, rel=0.1)
    none = contamination(first_layer(jnp.asarray(E[:2])), correction_task, 1, key=KEY, n=N)
    assert abs(float(none.value)) < 1e-12


def test_neurons_that_cancel_are_not_there(first_layer, correction_task) -> None:
    """+σ(x_3) − σ(x_3) is no part of the form."""
    weight = jnp.asarray(E[[0, 1, 2, 2]])
    cancelled = first_layer(weight, jnp.asarray([1.0, 1.0, 1.0, -1.0]))
    doubled = first_layer(weight)
    values = [
        float(contamination(f, correction_task, 1, key=KEY, n=N).value)
        for f in (cancelled, doubled)
    ]
    assert abs(values[0]) < 1e-3
    assert values[1] == pytest.approx(4 / 6, rel=0.05)


def test_random_directions_have_k_over_d_inside() -> None:
    weight = jax.random.normal(KEY, (2000, 4), jnp.float64)
    form = weight.T @ weight
    assert float(foreign_energy(form, jnp.asarray(E[:, :2]))) == pytest.approx(1 - 2 / 4, abs=0.05)


def test_layers_above_are_measured_too(correction_task) -> None:
    found = contamination(correction_task.target, correction_task, 2, key=KEY, n=N)
    assert abs(float(found.value)) < 1e-9


def test_maps_over_a_trajectory(first_layer, correction_task) -> None:
    path = jnp.stack([jnp.asarray(E[:2] + e * E[2:]) for e in (1.0, 0.1)])
    curve = jax.vmap(
        lambda w: contamination(first_layer(w), correction_task, 1, key=KEY, n=N).value
    )(path)
    one = contamination(first_layer(path[1]), correction_task, 1, key=KEY, n=N)
    assert float(curve[1]) == pytest.approx(float(one.value), rel=1e-6)
    assert curve[0] > curve[1]
