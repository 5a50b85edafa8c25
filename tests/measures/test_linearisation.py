"""Gaps of a network whose linear model is known by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.measures import linearisation_gap, linearised, movement, parameter_gap
from featlearn.measures.linearisation import gap_of

RNG = np.random.default_rng(0)
X = jnp.asarray(RNG.normal(size=(40, 3)))
START = {"w": jnp.asarray(RNG.normal(size=3)), "b": jnp.asarray(0.5)}
MOVED = {"w": START["w"] + jnp.asarray([0.3, -0.1, 0.2]), "b": jnp.asarray(0.7)}


def square(weights, x):
    """f = (⟨w, x⟩ + b)²: what is left of the linear model is (⟨δw, x⟩ + δb)²."""
    return (x @ weights["w"] + weights["b"]) ** 2


def linear(weights, x):
    return x @ weights["w"] + weights["b"]


def by_hand(start=START, moved=MOVED):
    x = np.asarray(X)
    before, after = (x @ np.asarray(w["w"]) + float(w["b"]) for w in (start, moved))
    step = after - before
    return before**2, after**2, before**2 + 2 * before * step


def test_the_linear_model_is_the_first_two_terms():
    np.testing.assert_allclose(linearised(square, START, MOVED, X), by_hand()[2], rtol=1e-9)


def test_the_gap_is_what_the_square_leaves():
    before, after, line = by_hand()
    wanted = np.linalg.norm(after - line) / np.linalg.norm(after - before)
    got = linearisation_gap(square, START, MOVED, X)
    assert float(got.value) == pytest.approx(wanted)
    assert int(got.n) == 40
    wrong = np.linalg.norm(after - line) / np.linalg.norm(after)
    assert float(got.value) != pytest.approx(wrong, rel=1e-2)


def test_a_linear_model_and_weights_that_stay_have_no_gap():
    assert float(linearisation_gap(linear, START, MOVED, X).value) < 1e-7
    still = linearisation_gap(square, START, START, X)
    assert (float(still.value), float(still.stderr)) == (0.0, 0.0)


def test_several_outputs_are_summed():
    before, after, line = (jnp.stack([v, 2 * v], axis=1) for v in by_hand())
    one = gap_of(*map(jnp.asarray, by_hand()))
    assert float(gap_of(before, after, line).value) == pytest.approx(float(one.value))


def test_the_standard_error_is_that_of_repeated_draws():
    """Of 400 sets of 100 points; a spread is known to 1/√800, and half the error is rejected."""
    x = jax.random.normal(jax.random.key(0), (400, 100, 3), jnp.float64)
    found = jax.jit(jax.vmap(lambda x: linearisation_gap(square, START, MOVED, x)))(x)
    ratio = float(jnp.sqrt(jnp.mean(found.stderr**2)) / found.value.std())
    assert abs(ratio - 1) < 4 * np.hypot(1 / np.sqrt(800), 0.03)
    assert abs(ratio / 2 - 1) > 4 * np.hypot(1 / np.sqrt(800), 0.03)


def test_gap_and_movement_of_parameters():
    tangent = {"w": START["w"] + jnp.asarray([0.3, 0.0, 0.0]), "b": jnp.asarray(0.5)}
    apart = np.sqrt(0.1**2 + 0.2**2 + 0.2**2)
    assert float(parameter_gap(START, MOVED, tangent)) == pytest.approx(apart / 0.3)
    assert float(parameter_gap(START, MOVED, MOVED)) == 0.0
    assert float(parameter_gap(START, START, START)) == 0.0
    assert float(parameter_gap(START, MOVED, START)) == np.inf
    size = np.sqrt(np.sum(np.asarray(START["w"]) ** 2) + 0.25)
    assert float(movement(START, MOVED)) == pytest.approx(np.sqrt(0.14 + 0.04) / size)


@pytest.mark.parametrize(
    "act",
    [
        lambda: linearisation_gap(square, START, {"w": START["w"]}, X),
        lambda: parameter_gap(START, {**MOVED, "w": jnp.ones(2)}, MOVED),
        lambda: parameter_gap(START, MOVED, {"v": START["w"], "b": START["b"]}),
        lambda: movement({}, {}),
    ],
)
def test_refuses_weights_of_different_forms(act):
    with pytest.raises(InvalidInputError, match="one pytree"):
        act()


def test_refuses_a_single_point():
    with pytest.raises(InvalidInputError, match="2 points or more"):
        linearisation_gap(square, START, MOVED, X[:1])
