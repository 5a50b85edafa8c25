"""A model error of size OPT: its energy, and that polynomials explain nothing of it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.inputs import Gaussian
from featlearn.targets import agnostic, toy

KEY = jax.random.key(4)
BASE = toy("correction", 5, 0.3)
TARGET = agnostic(BASE, 0.2, key=KEY)
X = Gaussian(5).sample(jax.random.key(1), 20_000).astype(jnp.float64)


def test_the_error_has_energy_opt() -> None:
    h = np.asarray(TARGET(X) - BASE(X))
    np.testing.assert_allclose(h, TARGET.error(X), atol=1e-9)
    squares = h**2
    assert abs(squares.mean() - 0.2) < 4 * squares.std() / len(h) ** 0.5
    assert abs(squares.mean() - 0.1) > 4 * squares.std() / len(h) ** 0.5


@pytest.mark.parametrize(("frequency", "explained"), [(10.0, False), (1.0, True)])
def test_polynomials_explain_nothing_of_a_fast_wave(frequency: float, explained: bool) -> None:
    """Eight Hermite parts of ⟨v, x⟩ take 8/n by chance from a fast wave, and most of a slow one."""
    target = agnostic(BASE, 1.0, frequency=frequency, key=KEY)
    z = np.asarray(X @ (target.wave / frequency))
    basis, _ = np.linalg.qr(np.polynomial.hermite_e.hermevander(z, 8))
    h = np.asarray(target.error(X))
    share = np.sum((basis.T @ h) ** 2) / np.sum(h**2)
    assert (share > 0.9) if explained else (share < 5 * 9 / len(z))


def test_features_are_those_of_the_base() -> None:
    np.testing.assert_array_equal(TARGET.features(X[:9], 2), BASE.features(X[:9], 2))
    assert TARGET.facts(Gaussian(5)).gaps == BASE.facts(Gaussian(5)).gaps


def test_refusals() -> None:
    with pytest.raises(InvalidInputError, match="opt must be finite"):
        agnostic(BASE, -1.0, key=KEY)
    with pytest.raises(InvalidInputError, match="frequency must be positive"):
        agnostic(BASE, 1.0, key=KEY, frequency=0.0)
