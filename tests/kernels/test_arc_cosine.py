"""Gaussian averages of a ReLU against quadrature, and where two points coincide."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.kernels import _arc_cosine
from featlearn.kernels._arc_cosine import acute, relu_averages

BIG = np.longdouble
PI = 4 * np.arctan(BIG(1))


def averages(a, b, c):
    both, open_ = relu_averages(*(jnp.full((1, 1), v) for v in (a, b, c)))
    return float(both[0, 0]), float(open_[0, 0])


def quadrature(a, b, c):
    """In polar coordinates u = √a r cos φ, v = √b r cos(φ − θ); the radii integrate exactly:
    ∫ r³ e^{−r²/2} = 2 and ∫ r e^{−r²/2} = 1. Both cosines are positive for φ in (θ − π/2, π/2)."""
    theta = np.arccos(c / np.sqrt(a * b))
    nodes, weights = np.polynomial.legendre.leggauss(40)
    half = (np.pi - theta) / 2
    phi = theta / 2 + half * nodes
    mean = half * np.sum(weights * np.cos(phi) * np.cos(phi - theta))
    return 2 * np.sqrt(a * b) * mean / (2 * np.pi), half * np.sum(weights) / (2 * np.pi)


@pytest.mark.parametrize(
    ("a", "b", "c"), [(1.0, 1.0, 0.3), (2.0, 0.5, -0.9), (1e8, 1e-8, 0.99), (3.0, 3.0, 0.0)]
)
def test_equal_the_integral(a, b, c):
    np.testing.assert_allclose(averages(a, b, c), quadrature(a, b, c), rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_of_equal_and_opposite_points(scale):
    np.testing.assert_allclose(averages(scale, scale, scale), (scale / 2, 0.5), rtol=1e-12)
    np.testing.assert_allclose(averages(scale, scale, -scale), (0, 0), atol=1e-12 * scale)


def test_of_points_without_variance():
    assert averages(0.0, 1.0, 0.0) == (0.0, 0.5)


@pytest.mark.parametrize("gap", [1e-14, 1e-12, 1e-8, 1e-4])
def test_of_nearly_equal_points(gap):
    """The first is exact to rounding; the second, with its cusp, to the root of it."""
    exact = np.arccos(np.longdouble(1) - np.longdouble(gap))
    both, open_ = averages(1.0, 1.0, 1.0 - gap)
    pi = 4 * np.arctan(np.longdouble(1))
    expected = (np.sin(exact) + (pi - exact) * np.cos(exact)) / (2 * pi)
    np.testing.assert_allclose(both, float(expected), rtol=1e-13)
    np.testing.assert_allclose(open_, float((pi - exact) / (2 * pi)), rtol=1e-8)


@pytest.mark.parametrize("gap", [1e-12, 1e-8, 1e-4, 0.3])
def test_of_nearly_opposite_points(gap):
    """Both are small there, and keep their digits: to those of 1 − |c| in float64."""
    c = gap - 1.0
    angle = 2 * np.arcsin(np.sqrt((1 - abs(BIG(c))) / 2))
    both, open_ = averages(1.0, 1.0, c)
    np.testing.assert_allclose(both, float(lens(angle) / 2), rtol=1e-14)
    np.testing.assert_allclose(open_, float(angle / (2 * PI)), rtol=1e-14)


@pytest.mark.parametrize("c", [-0.999, -0.4, -1e-9, 0.0, 1e-9, 0.4, 0.999])
def test_derivative_of_the_first_by_c_is_the_second(c):
    """∂ E relu(u) relu(v) / ∂c = E 1[u>0] 1[v>0], and of that 1/(2π √(ab − c²))."""
    a, b = 2.0, 0.7
    c = c * math.sqrt(a * b)

    def at(c):
        return [v[0, 0] for v in relu_averages(*(jnp.full((1, 1), v) for v in (a, b, c)))]

    by_c = jax.jacobian(at)(c)
    np.testing.assert_allclose(by_c[0], at(c)[1], rtol=1e-13)
    np.testing.assert_allclose(by_c[1], 1 / (2 * np.pi * math.sqrt(a * b - c**2)), rtol=1e-12)


def lens(angle):
    """(sin φ − φ cos φ)/π by its series, which does not cancel."""
    terms = [(-1) ** (k + 1) * 2 * k * angle ** (2 * k + 1) / BIG(math.factorial(2 * k + 1))
             for k in range(1, 15)]  # fmt: skip
    return sum(reversed(terms)) / PI


def largest_errors(kind):
    """Relative errors of A and S against extended precision, on [0, 1] and close to 0."""
    gap = np.concatenate([np.linspace(0, 1, 2001)[1:], np.logspace(-20, -3, 18)]).astype(kind)
    angle = 2 * np.arcsin(np.sqrt(gap.astype(BIG) / 2))
    found = [np.asarray(v).astype(BIG) for v in acute(jnp.asarray(gap))]
    exact = (angle / PI, lens(angle))
    return [float(np.max(np.abs(f / e - 1))) for f, e in zip(found, exact, strict=True)]


@pytest.mark.parametrize(("kind", "bound"), [("float32", 2.5e-7), ("float64", 6e-16)])
def test_polynomials_are_exact_to_rounding(kind, bound, monkeypatch):
    assert max(largest_errors(kind)) < bound
    for name in ("P", "R"):
        shorter = {kind: getattr(_arc_cosine, name)[kind][:-1]}
        monkeypatch.setattr(_arc_cosine, name, shorter)
        assert max(largest_errors(kind)) > bound
        monkeypatch.undo()


def test_float32_arguments_give_float32():
    both, open_ = relu_averages(*(jnp.full((1, 1), v, jnp.float32) for v in (1.0, 2.0, -0.3)))
    assert both.dtype == open_.dtype == jnp.float32
