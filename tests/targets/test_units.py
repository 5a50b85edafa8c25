"""Sums of units: values, outputs, complexities, facts, and what is refused."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.inputs import Gaussian, Inputs, Sphere
from featlearn.targets import series, units
from featlearn.testing import check_target

KEY = jax.random.key(4)
X = jax.random.normal(KEY, (10, 3))
W = np.array([[1.0, 1.0], [1.0, -1.0], [0.0, 0.0]])
PAIR = units([series.power(2, 0.25), series.power(2, -0.25)], W, radius=2.0)


def test_two_squares_make_a_product() -> None:
    np.testing.assert_allclose(PAIR(X), X[:, 0] * X[:, 1], atol=1e-12)
    assert PAIR.complexity(2.0) == pytest.approx(series.product_complexity(2, 2.0))
    np.testing.assert_allclose(PAIR.features(X), X @ W, atol=1e-12)


def test_units_of_several_outputs() -> None:
    f = units([series.sine(), series.power(1), series.exponential()], np.eye(3), outputs=[1, 0, 1])
    expected = jnp.stack([X[:, 1], jnp.sin(X[:, 0]) + jnp.exp(X[:, 2])], axis=1)
    np.testing.assert_allclose(f(X), expected, rtol=1e-6)
    assert f.degree is None
    assert f.reach(1.0) >= float(jnp.linalg.norm(expected / 4, axis=1).max())


def test_units_that_cancel_leave_the_subspace() -> None:
    f = units([series.power(1), series.power(1), series.power(3)], [[1, 1, 1], [1, -1, 0]])
    facts = f.facts(Gaussian(2))
    assert facts.degree == 3
    assert facts.subspace.shape == (2, 1)
    assert abs(facts.subspace[0, 0]) == pytest.approx(1.0)
    assert facts.base_complexity is None


def test_units_of_one_form_stack() -> None:
    """Built apart, with the same series and other directions."""
    both = [units([series.power(2), series.sine(0.5)], a * np.eye(2)) for a in (1.0, 2.0)]
    fleet = jax.tree.map(lambda *leaves: jnp.stack(leaves), *both)
    x = X[:, :2]
    np.testing.assert_allclose(jax.vmap(lambda f: f(x))(fleet)[1], both[1](x), rtol=1e-9)


@pytest.mark.parametrize("law", [Sphere(3, 0.7), Gaussian(3)])
def test_facts(law: Inputs) -> None:
    w = np.array([[0.6], [0.0], [0.5]])
    check_target(units(series.polynomial([0.2, -1, 0.5, 0.3]), w, radius=2.0), law, key=KEY, n=4000)


BAD = {
    "directions without units": (lambda: units(series.power(1), np.ones(3)), r"\(d, u\)"),
    "a zero direction": (lambda: units(series.power(1), np.zeros((2, 1))), "zero everywhere"),
    "too few series": (lambda: units([series.power(1)], np.eye(2)), "1 series for 2 directions"),
    "a series out of its range": (
        lambda: units(series.given(lambda i: 1.0, range=0.5), np.eye(2), radius=1.0),
        r"does not converge for \|z\| ≤ 1",
    ),
    "an output without unit": (
        lambda: units(series.power(1), np.eye(2), outputs=[0, 2]),
        r"0 … 2 without a unit",
    ),
    "inputs of another dimension": (lambda: PAIR.facts(Gaussian(4)), "dim 3 and the inputs"),
    "a law beyond the range of a series": (
        lambda: units(series.given(lambda i: 0.5**i, range=1.0), np.eye(2)).facts(Sphere(2, 3.0)),
        "does not converge",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    build, message = BAD[name]
    with pytest.raises(InvalidInputError, match=message):
        build()
