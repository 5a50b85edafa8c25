"""Power series: values, complexities against slow sums, compositions, and what is refused."""

from itertools import product
from math import cosh, e, factorial, pi, sinh

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import linprog

from featlearn.errors import InvalidInputError
from featlearn.targets import series

Z = jnp.linspace(-0.9, 0.9, 7)
NAMED = {
    "sine": (series.sine(1.5), lambda z: jnp.sin(1.5 * z)),
    "cosine": (series.cosine(-0.7), lambda z: jnp.cos(0.7 * z)),
    "exponential": (series.exponential(-2.0), lambda z: jnp.exp(-2 * z)),
    "polynomial": (series.polynomial([1, 0, -2, 0.5]), lambda z: 1 - 2 * z**2 + 0.5 * z**3),
    "given": (series.given(lambda i: 0.5**i, range=1.0), lambda z: 1 / (1 - z / 2)),
}


@pytest.mark.parametrize("name", NAMED)
def test_values(name: str) -> None:
    phi, expected = NAMED[name]
    np.testing.assert_allclose(phi(Z), expected(Z), rtol=1e-10, atol=1e-12)
    assert phi(Z.astype(jnp.float32)).dtype == jnp.float32


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("radius", [0.0, 0.6, 1.0])
def test_complexity_is_the_sum_of_its_definition(name: str, radius: float) -> None:
    phi, _ = NAMED[name]
    terms = range(phi.length or 150)
    slow = sum(abs(phi.term(i)) * i * radius**i for i in terms)
    assert phi.complexity(radius) == pytest.approx(slow, rel=1e-12)
    largest = sum(abs(phi.term(i)) * radius**i for i in terms)
    assert phi.majorant(radius) == pytest.approx(largest, rel=1e-12)


def test_known_complexities() -> None:
    assert series.power(10).complexity() == 10
    assert series.exponential().complexity() == pytest.approx(e)
    assert series.sine(2.0).complexity(1.5) == pytest.approx(3 * cosh(3))
    assert series.cosine(-2.0).complexity() == pytest.approx(2 * sinh(2))
    geometric = series.given(lambda i: 0.5**i, range=1.0)
    assert geometric.complexity() == pytest.approx(2.0, rel=1e-10)  # Σ i 2^-i


def test_composition_of_polynomials_is_exact() -> None:
    inner, outer = series.polynomial([0.5, -1, 2]), series.polynomial([1, 0, 3, -1])
    both = series.compose(outer, inner, 2.0)
    p, q = np.polynomial.Polynomial([0.5, -1, 2]), np.polynomial.Polynomial([1, 0, 3, -1])
    np.testing.assert_allclose(both.coefficients(2.0), q(p).coef, rtol=1e-12)


def test_composition_of_series_without_end() -> None:
    both = series.compose(series.exponential(), series.sine(), 1.0)
    np.testing.assert_allclose(both(Z), jnp.exp(jnp.sin(Z)), rtol=1e-9)
    taylor = [1, 1, 1 / 2, 0, -1 / 8, -1 / 15]
    np.testing.assert_allclose(both.coefficients(1.0)[:6], taylor, atol=1e-12)


def test_the_documents_example() -> None:
    d = 7
    whole = series.compose(series.power(10), series.power(1, d**0.5), 1.0)
    assert whole.complexity() == pytest.approx(10 * d**5)


@pytest.mark.parametrize("p", [1, 2, 3, 4, 8])
def test_products_are_reached_by_polarisation(p: int) -> None:
    """2^{1−p}/p! Σ_ε (Π ε) ⟨ε, x⟩^p is the product, and costs what is declared."""
    signs = np.array([(1, *s) for s in product([1, -1], repeat=p - 1)], float)
    a = signs.prod(axis=1) / (2.0 ** (p - 1) * factorial(p))
    x = np.random.default_rng(0).normal(size=(9, p))
    np.testing.assert_allclose((x @ signs.T) ** p @ a, x.prod(axis=1), atol=1e-10)
    radius = 1.3
    cost = np.sum(np.abs(a)) * p * (radius * p**0.5) ** p
    assert series.product_complexity(p, radius) == pytest.approx(cost)


def test_no_other_units_write_a_product_at_less() -> None:
    """The least Σ|a_i| for x y = Σ a_i ⟨w_i, x⟩² over a fine grid of directions: a linear program.

    The wrong variant, the sum over the monomial as if it were one unit, lies below the least.
    """
    angles = np.arange(720) * pi / 720
    c, s = np.cos(angles), np.sin(angles)
    rows = np.stack([c**2, 2 * c * s, s**2])
    found = linprog(np.ones(2 * len(c)), A_eq=np.hstack([rows, -rows]), b_eq=[0, 1, 0])
    assert 2 * found.fun == pytest.approx(series.product_complexity(2), rel=1e-9)
    assert 2 * found.fun > 1.5 * 1.0


BAD = {
    "a series at its radius of convergence": (
        lambda: series.given(lambda i: 1.0, range=1.0),
        r"does not converge for \|z\| ≤ 1, the range it will see",
    ),
    "a series beyond it": (lambda: series.given(lambda i: 2.0**i, range=0.6), "does not converge"),
    "one whose C alone diverges": (
        lambda: series.given(lambda i: 1 / max(i, 1) ** 2, range=1.0),
        "does not converge",
    ),
    "a range of no ball": (lambda: series.given(lambda i: 0.0, range=-1.0), "at least 0, got -1"),
    "a composition out of range": (
        lambda: series.compose(
            series.given(lambda i: 1.0, range=0.5), series.power(1, 2.0), radius=0.6
        ),
        r"\|z\| ≤ 1.2",
    ),
    "zero polynomial": (lambda: series.polynomial([0, 0]), r"not all 0, got \[0, 0\]"),
    "infinite coefficient": (lambda: series.polynomial([np.inf]), "finite numbers"),
    "scale zero": (lambda: series.sine(0.0), r"not 0, got 0\.0"),
    "power zero": (lambda: series.power(0), "p must be .* got 0"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    build, message = BAD[name]
    with pytest.raises(InvalidInputError, match=message):
        build()
