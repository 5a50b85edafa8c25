"""Single- and multi-index teachers: values, scale, directions, stacking, and what they refuse."""

from math import factorial, sqrt
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.inputs import Gaussian, Hypercube
from featlearn.targets import multi_index, representation, single_index

KEY = jax.random.key(2)
X = jax.random.normal(jax.random.key(9), (12, 4), jnp.float64)


def test_values_of_a_single_index() -> None:
    u = np.array([3.0, 0.0, 4.0, 0.0])
    f = single_index({1: 2.0, 3: 0.5}, 4, direction=u)
    z = np.asarray(X) @ u / 5
    np.testing.assert_allclose(f(X), 2 * z + 0.5 * (z**3 - 3 * z), rtol=1e-10)


def test_values_of_given_directions_are_taken_as_they_are() -> None:
    u = np.array([[2.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    f = multi_index({(2, 0): 0.5, (1, 1): 0.3}, 4, directions=u)
    z = np.asarray(X) @ u
    np.testing.assert_allclose(f(X), 0.5 * (z[:, 0] ** 2 - 1) + 0.3 * z[:, 0] * z[:, 1])
    np.testing.assert_allclose(f.features(X, level=1), z)
    assert not f.orthonormal


def test_labels_have_the_dtype_of_x() -> None:
    f = multi_index({(2, 0): 0.5, (0, 1): 0.3}, 4, key=KEY)
    single = f(X.astype(jnp.float32))
    assert single.dtype == jnp.float32
    np.testing.assert_allclose(single, f(X), rtol=1e-4, atol=1e-5)


def test_drawn_directions_are_orthonormal_and_follow_the_key() -> None:
    one, same = (multi_index({(1, 1, 1): 1.0}, 6, key=KEY).directions for _ in range(2))
    other = multi_index({(1, 1, 1): 1.0}, 6, key=jax.random.key(3)).directions
    np.testing.assert_allclose(one.T @ one, np.eye(3), atol=1e-6)
    np.testing.assert_array_equal(one, same)
    assert not np.allclose(one, other)


def test_drawn_directions_are_uniform() -> None:
    """E u uᵀ = I/d and E u = 0; QR with the signs that LAPACK leaves would have a mean."""
    keys = jax.random.split(KEY, 400)
    u = jax.vmap(lambda k: single_index({1: 1.0}, 3, key=k).directions[:, 0])(keys)
    assert np.abs(np.asarray(u).mean(0)).max() < 4 * sqrt(1 / 3 / 400)
    gram = np.asarray(u).T @ np.asarray(u) / 400
    assert np.abs(gram - np.eye(3) / 3).max() < 4 * sqrt(1 / 5 / 400)


@pytest.mark.parametrize("p", [2, 3, 4, 5])
def test_representation_has_unit_second_moment(p: int) -> None:
    facts = representation(p, 6, key=KEY).facts(Gaussian(6))
    assert facts.second_moment == pytest.approx(1.0)
    assert facts.degree == p
    assert facts.information_exponent == facts.leap == 2
    assert facts.hessian_rank == 1
    assert facts.hessian_condition == pytest.approx(1.0)
    # He_2/2 alone holds half of it: the plateau of kernels
    trace = np.trace(facts.hessian)
    assert trace == pytest.approx(sqrt(2) if p == 2 else 1.0)


def test_rank_of_the_hessian_tells_assumption_2() -> None:
    law = Gaussian(5)
    full = multi_index({(2, 0): 0.5, (1, 1): 0.3}, 5, key=KEY).facts(law)
    poor = multi_index({(2, 0): 0.5, (0, 3): 0.3}, 5, key=KEY).facts(law)
    none = single_index({3: 1 / sqrt(factorial(3))}, 5, key=KEY).facts(law)
    assert (full.hessian_rank, poor.hessian_rank, none.hessian_rank) == (2, 1, 0)
    h = np.array([[1.0, 0.3], [0.3, 0.0]])
    values = np.abs(np.linalg.eigvalsh(h))
    assert full.hessian_condition == pytest.approx(values.max() / values.min(), rel=1e-5)


def test_what_is_not_known_is_none() -> None:
    facts = single_index({2: 1.0}, 4, key=KEY).facts(Hypercube(4))
    assert facts.mean is None
    assert facts.information_exponent is None
    assert facts.degree == 2


def test_an_unused_direction_is_not_in_the_subspace() -> None:
    f = multi_index({(2, 0, 1): 0.5, (0, 0, 2): 0.5}, 5, key=KEY)
    facts = f.facts(Gaussian(5))
    np.testing.assert_allclose(facts.subspace, f.directions[:, [0, 2]])
    assert facts.leap == 2


def test_two_directions_that_enter_as_one() -> None:
    """He_2((z_1 + z_2)/√2): one direction, and no leap, since the coordinates are not its own."""
    f = multi_index({(2, 0): 0.5, (1, 1): 1.0, (0, 2): 0.5}, 5, key=KEY)
    facts = f.facts(Gaussian(5))
    middle = f.directions.sum(axis=1) / sqrt(2)
    assert facts.subspace.shape == (5, 1)
    assert abs(float(facts.subspace[:, 0] @ middle)) == pytest.approx(1.0)
    assert facts.leap is None


def test_teachers_of_one_form_stack() -> None:
    keys = jax.random.split(KEY, 3)
    fleet = jax.vmap(lambda k: representation(3, 4, key=k))(keys)
    y = jax.vmap(lambda f: f(X))(fleet)
    for i in range(3):
        np.testing.assert_allclose(y[i], representation(3, 4, key=keys[i])(X), rtol=1e-9)


def test_facts_of_traced_teachers() -> None:
    plain = representation(3, 4, key=KEY)
    known = plain.facts(Gaussian(4))
    traced = jax.jit(lambda f: _arrays(f.facts(Gaussian(4))))(plain)
    for name, value in traced.items():
        np.testing.assert_allclose(value, getattr(known, name), atol=1e-9, err_msg=name)
    assert set(traced) == {"mean", "second_moment", "linear", "hessian", "subspace"}


def _arrays(facts: Any) -> dict[str, Any]:
    names = ("mean", "second_moment", "linear", "hessian", "subspace")
    return {name: jnp.asarray(getattr(facts, name)) for name in names}


DEPENDENT = np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0]])
BAD = {
    "neither key nor direction": (lambda: single_index({2: 1.0}, 3), "got neither"),
    "both key and direction": (
        lambda: single_index({2: 1.0}, 3, key=KEY, direction=jnp.ones(3)),
        "got both",
    ),
    "direction of another size": (
        lambda: single_index({2: 1.0}, 3, direction=jnp.ones(4)),
        r"direction must have shape \(3,\), got \(4,\)",
    ),
    "zero direction": (
        lambda: single_index({2: 1.0}, 3, direction=jnp.zeros(3)),
        "direction is zero",
    ),
    "direction with a NaN": (
        lambda: single_index({2: 1.0}, 3, direction=[1.0, np.nan, 0.0]),
        "NaN or infinite",
    ),
    "dependent directions": (
        lambda: multi_index({(1, 1): 1.0}, 3, directions=DEPENDENT),
        r"must be independent, and their singular values go from 3\.16 down to",
    ),
    "directions of another shape": (
        lambda: multi_index({(1, 1): 1.0}, 3, directions=np.ones((2, 3))),
        r"shape \(3, 2\), got \(2, 3\)",
    ),
    "more directions than dimensions": (
        lambda: multi_index({(1, 1, 1): 1.0}, 2, key=KEY),
        "3 directions cannot be independent in dimension 2",
    ),
    "no degree above 0": (lambda: single_index({0: 1.0}, 3, key=KEY), "target is constant"),
    "zero coefficients": (lambda: single_index({2: 0.0}, 3, key=KEY), "target is constant"),
    "infinite coefficient": (lambda: single_index({2: np.inf}, 3, key=KEY), "NaN or infinite"),
    "no coefficients": (lambda: single_index({}, 3, key=KEY), r"got the keys \[\]"),
    "negative degree": (lambda: single_index({-1: 1.0}, 3, key=KEY), r"got the keys \[\(-1,\)\]"),
    "keys of unequal length": (
        lambda: multi_index({(1,): 1.0, (1, 1): 1.0}, 3, key=KEY),
        r"got the keys \[\(1,\), \(1, 1\)\]",
    ),
    "dimension zero": (lambda: single_index({2: 1.0}, 0, key=KEY), "dim must be .*, got 0"),
    "degree one of the experiments": (lambda: representation(1, 3, key=KEY), "at least 2, got 1"),
    "a level too high": (
        lambda: single_index({2: 1.0}, 4, key=KEY).features(X, level=2),
        "no hidden features at level 2",
    ),
    "inputs of another dimension": (
        lambda: single_index({2: 1.0}, 3, key=KEY).facts(Gaussian(4)),
        "dim 3 and the inputs have dim 4",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    build, message = BAD[name]
    with pytest.raises(InvalidInputError, match=message):
        build()
