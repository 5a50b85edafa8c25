"""The toys against their formulas, and their hidden functions by name."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.targets import toy

A = 0.3
X = jax.random.normal(jax.random.key(8), (20, 6), jnp.float64)
C = tuple(np.asarray(X).T)
U = np.asarray(X) ** 2 - 0.7
Q = C[0] ** 2 + 2 * C[1] ** 2

# each with what its first weighted layer adds, and with its second layer's features
EXPECTED = {
    "rich": (
        C[0] ** 2 + C[1] ** 2,
        A * (C[0] ** 4 + C[1] ** 4),
        [C[0] ** 2, C[1] ** 2],
    ),
    "correction": (
        C[0] ** 2 + C[1] ** 2,
        A * ((C[0] ** 2 + C[2]) ** 2 + (C[1] ** 2 + C[3]) ** 2),
        [C[0] ** 2 + C[2], C[1] ** 2 + C[3]],
    ),
    "contamination": (Q, A * (Q + C[2]) ** 2, [Q + C[2]]),
    "quartic": (
        U[:, 0] ** 2 + U[:, 1] ** 2,
        A * ((U[:, 0] ** 2 + C[2]) ** 2 + (U[:, 1] ** 2 + C[3]) ** 2),
        [U[:, 0] ** 2 + C[2], U[:, 1] ** 2 + C[3]],
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_toys_are_their_formulas(name: str) -> None:
    target = toy(name, 6, A, square_mean=0.7)
    low, high, features = EXPECTED[name]
    first = target.first_level
    np.testing.assert_allclose(target.part(X, first), low, rtol=1e-6)
    np.testing.assert_allclose(target.part(X, first + 1), high, rtol=1e-6)
    np.testing.assert_allclose(target(X), low + high, rtol=1e-6)
    np.testing.assert_allclose(target.features(X, first + 1), np.array(features).T, rtol=1e-6)
    others = [other for other in EXPECTED if other != name]
    assert all(np.abs(target(X) - toy(o, 6, A, square_mean=0.7)(X)).max() > 0.1 for o in others)


def test_toy_d_without_centring_has_the_powers() -> None:
    target = toy("quartic", 4, A, square_mean=0.0)
    x = C[0] ** 4 + C[1] ** 4 + A * ((C[0] ** 4 + C[2]) ** 2 + (C[1] ** 4 + C[3]) ** 2)
    np.testing.assert_allclose(target(X[:, :4]), x, rtol=1e-6)
    assert target.paper_skips


def test_gaps_may_be_traced() -> None:
    fleet = jax.vmap(lambda a: toy("correction", 6, a)(X))(jnp.array([0.1, 0.3]))
    np.testing.assert_allclose(fleet[1], toy("correction", 6, A)(X), rtol=1e-6)


def test_refusals() -> None:
    with pytest.raises(InvalidInputError, match="no toy 'poor'"):
        toy("poor", 4, 0.1)
    with pytest.raises(InvalidInputError, match="at least 4, got 3"):
        toy("correction", 3, 0.1)
    with pytest.raises(InvalidInputError, match="gaps must be positive"):
        toy("rich", 4, -0.1)
    with pytest.raises(InvalidInputError, match="gap must have shape"):
        toy("rich", 4, [0.1, 0.2])
