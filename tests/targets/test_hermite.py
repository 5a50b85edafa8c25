"""The algebra against Gauss–Hermite quadrature, evaluation at points, and known examples."""

from math import factorial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.targets import Facts, hermite
from featlearn.testing import hermite_expansion, leap_by_search

RNG = np.random.default_rng(4)
INDICES = ((0, 0, 0), (1, 0, 0), (2, 0, 0), (1, 1, 0), (0, 0, 3), (1, 0, 2))
C = np.array([0.3, -0.5, 0.4, 0.7, 0.2, -0.6])
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(12)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
GRID = np.stack(np.meshgrid(NODES, NODES, NODES, indexing="ij"), -1).reshape(-1, 3)
MASS = np.einsum("i,j,k->ijk", WEIGHTS, WEIGHTS, WEIGHTS).ravel()


def values(indices: hermite.Indices, c: np.ndarray, z: np.ndarray) -> np.ndarray:
    return np.asarray(hermite.evaluate(z, indices, c))


def test_table_holds_the_probabilists_polynomials() -> None:
    z = np.linspace(-3, 3, 7)
    rows = hermite.table(z, 4)
    known = [z**0, z, z**2 - 1, z**3 - 3 * z, z**4 - 6 * z**2 + 3]
    np.testing.assert_allclose(rows, known, atol=1e-12)
    assert len(hermite.table(z, 0)) == 1


def test_orthogonality() -> None:
    """E He_j He_k = k! δ_jk."""
    rows = np.stack(hermite.table(NODES, 8))
    gram = (rows * WEIGHTS) @ rows.T
    wanted = np.diag([float(factorial(k)) for k in range(9)])
    np.testing.assert_allclose(gram, wanted, atol=1e-8 * factorial(8))


def test_mean_and_second_moment() -> None:
    y = values(INDICES, C, GRID)
    assert hermite.mean(INDICES, C) == pytest.approx(MASS @ y)
    assert hermite.second_moment(INDICES, C) == pytest.approx(MASS @ y**2)


def test_gradient_and_hessian_are_averages_of_derivatives() -> None:
    parts = [hermite.derivative(INDICES, C, j) for j in range(3)]  # checked below by differences
    first = np.stack([values(*part, GRID) for part in parts], axis=1)
    second = np.stack(
        [[values(*hermite.derivative(*part, k), GRID) for k in range(3)] for part in parts]
    ).transpose(2, 0, 1)
    np.testing.assert_allclose(hermite.gradient(INDICES, C), MASS @ first, atol=1e-10)
    wanted = np.einsum("n,njk->jk", MASS, second)
    np.testing.assert_allclose(hermite.hessian(INDICES, C), wanted, atol=1e-10)
    gram = np.einsum("n,nj,nk->jk", MASS, first, first)
    np.testing.assert_allclose(hermite.gradient_gram(INDICES, C), gram, atol=1e-10)


@pytest.mark.parametrize("j", [0, 1, 2])
def test_derivative(j: int) -> None:
    z = RNG.normal(size=(6, 3))
    step = 1e-6 * np.eye(3)[j]
    slope = (values(INDICES, C, z + step) - values(INDICES, C, z - step)) / 2e-6
    np.testing.assert_allclose(values(*hermite.derivative(INDICES, C, j), z), slope, atol=1e-7)


def test_derivative_of_an_absent_coordinate_is_zero() -> None:
    indices, c = hermite.derivative(((2, 0),), np.ones(1), 1)
    np.testing.assert_array_equal(values(indices, c, RNG.normal(size=(3, 2))), 0.0)


@pytest.mark.parametrize("q", [1, 2, 3])
def test_rewrite_is_the_same_polynomial(q: int) -> None:
    matrix, shift = RNG.normal(size=(3, q)), RNG.normal(size=3)
    w = RNG.normal(size=(20, q))
    new = hermite.rewrite(INDICES, C, matrix, shift)
    wanted = values(INDICES, C, shift + w @ matrix.T)
    np.testing.assert_allclose(values(*new, w), wanted, rtol=1e-9, atol=1e-9)
    assert np.abs(values(*new, w) - values(INDICES, C, w @ matrix.T)).max() > 1e-3


def test_rewrite_agrees_with_the_expansion_of_a_function() -> None:
    matrix = np.linalg.qr(RNG.normal(size=(2, 2)))[0]
    indices, c = ((2, 0), (1, 1)), np.array([0.5, 0.3])
    new, d = hermite.rewrite(indices, c, matrix)
    found = hermite_expansion(lambda w: values(indices, c, w @ matrix.T), 2, 2)
    kept = {a: value for a, value in zip(new, d, strict=True) if abs(value) > 1e-9}
    assert kept == pytest.approx(found)


def test_rewriting_size() -> None:
    assert hermite.rewriting_size(INDICES, 2) == 4**2


EXAMPLES = {
    "staircase": (((1, 0, 0), (1, 1, 0), (1, 1, 1)), 1, 1),
    "parity": (((1, 1, 1),), 3, 3),
    "square": (((2,),), 2, 2),
    "linear then parity of the rest": (((1, 0, 0), (1, 1, 1)), 1, 2),
    "known once, known for good": (((2, 0), (5, 1)), 2, 2),
    "two separate cubes": (((3, 0), (0, 3)), 3, 3),
    "order does not matter": (((1, 1, 1), (1, 1, 0), (1, 0, 0)), 1, 1),
    "constant beside": (((0, 0), (0, 4)), 4, 4),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_information_exponent_and_leap_of_known_examples(name: str) -> None:
    indices, exponent, leap = EXAMPLES[name]
    c = np.ones(len(indices))
    assert hermite.information_exponent(indices, c) == exponent
    assert hermite.leap(indices, c) == leap


def test_leap_against_exhaustive_search() -> None:
    for _ in range(60):
        drawn = {tuple(int(k) for k in RNG.integers(0, 3, size=4)) for _ in range(4)}
        indices = tuple(a for a in drawn if any(a)) or ((1, 0, 0, 0),)
        expected = leap_by_search(dict.fromkeys(indices, 1.0))
        assert hermite.leap(indices, np.ones(len(indices))) == expected


def test_a_constant_has_no_exponent() -> None:
    assert hermite.information_exponent(((0, 0),), np.ones(1)) is None
    assert hermite.leap(((0, 0),), np.ones(1)) is None


def test_rounding_is_not_in_the_support() -> None:
    indices = ((1,), (2,))
    assert hermite.support(indices, np.array([1e-9, 1.0])) == ((2,),)
    assert hermite.support(indices, np.array([1e-3, 1.0])) == indices


def test_rank_and_condition_of_the_hessian() -> None:
    q = np.linalg.qr(RNG.normal(size=(4, 4)))[0]
    facts = Facts(hessian=q @ np.diag([3.0, -0.5, 0.0, 0.0]) @ q.T)
    assert facts.hessian_rank == 2
    assert facts.hessian_condition == pytest.approx(6.0)
    assert Facts().hessian_rank is None
    assert Facts(hessian=np.zeros((3, 3))).hessian_rank == 0
    assert Facts(hessian=np.zeros((3, 3))).hessian_condition is None


def test_coefficients_may_be_traced() -> None:
    found = jax.jit(lambda c: hermite.second_moment(INDICES, c))(jnp.asarray(C))
    assert float(found) == pytest.approx(float(hermite.second_moment(INDICES, C)))
