"""Spectra by degree against dense Gram matrices, closed forms and a second quadrature."""

from itertools import product
from math import comb

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import eval_gegenbauer, gammaln, ive, roots_gegenbauer

from featlearn.errors import InvalidInputError
from featlearn.kernels import (
    NTK,
    RBF,
    ArcCosine,
    Conjugate,
    DotProduct,
    Kernel,
    Laplace,
    Matern,
    Polynomial,
    ResidualNTK,
    spectrum,
)

NETWORK = {"weight_variance": 1.5, "bias_variance": 0.1}


def listed(found):
    """Every eigenvalue as often as it occurs, largest first."""
    counts = found.multiplicities.astype(int)
    each = [np.repeat(row, many) for row, many in zip(found.eigenvalues, counts, strict=True)]
    return np.sort(np.concatenate(each))[::-1]


def dense(kernel, points, weights):
    """Eigenvalues of √w K √w: those of the operator, where the weighted points integrate it."""
    root = np.sqrt(weights)
    gram = root[:, None] * np.asarray(kernel(jnp.asarray(points))) * root
    return np.linalg.eigvalsh(gram)[::-1]


@pytest.mark.parametrize(
    "kernel",
    [NTK(2, **NETWORK), ResidualNTK(1, 0.5, **NETWORK, activation="erf"), Laplace(0.9)],
    ids=["NTK", "ResidualNTK", "Laplace"],
)
def test_on_the_hypercube_are_those_of_all_its_points(kernel):
    d = 8
    cube = np.array([*product([-1.0, 1.0], repeat=d)])
    found = spectrum(kernel, d, "hypercube")
    assert found.multiplicities.tolist() == [comb(d, k) for k in range(d + 1)]
    expected = dense(kernel, cube, np.full(2**d, 0.5**d))
    cusp = 1e-8 * 0.5**d  # where a pair's two points are equal, half of a root's digits are lost
    np.testing.assert_allclose(listed(found), expected, rtol=1e-9, atol=cusp)
    np.testing.assert_allclose(found.trace, expected.sum(), rtol=1e-12)


@pytest.fixture(scope="module")
def sphere_points():
    """√3 S² by Gauss–Legendre in height and equal steps in longitude: exact to degree 31."""
    heights, weights = np.polynomial.legendre.leggauss(16)
    turn = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    z, phi = (a.ravel() for a in np.meshgrid(heights, turn, indexing="ij"))
    flat = np.sqrt(1 - z**2)
    points = np.sqrt(3) * np.stack([flat * np.cos(phi), flat * np.sin(phi), z], axis=1)
    return points, np.repeat(weights / 2, 32) / 32


@pytest.mark.parametrize("kernel", [RBF(1.0), Conjugate(2, 0.7, 0.1, activation="erf")], ids=str)
def test_on_the_sphere_are_those_of_a_dense_gram_matrix(kernel, sphere_points):
    expected = dense(kernel, *sphere_points)
    found = spectrum(kernel, 3)
    assert found.multiplicities[:4].tolist() == [1, 3, 5, 7]
    np.testing.assert_allclose(listed(found)[:64], expected[:64], rtol=1e-7, atol=1e-13)
    wrong = spectrum(kernel, 4)
    assert not np.allclose(listed(wrong)[:64], expected[:64], rtol=1e-2, atol=1e-13)


@pytest.mark.parametrize("d", [3, 20, 300])
def test_of_the_gaussian_kernel_on_the_sphere_in_closed_form(d):
    """e^{zt} = Γ(ν + 1) (2/z)^ν Σ (1 + k/ν) I_{k+ν}(z) C_k^ν(t), with ν = d/2 − 1, z = 1/h²."""
    z, nu = 1 / 0.8**2, d / 2 - 1
    found = spectrum(RBF(0.8), d, degrees=8)
    k = np.arange(len(found.multiplicities))
    expected = np.exp(gammaln(nu + 1) + nu * np.log(2 / z)) * ive(k + nu, z)
    np.testing.assert_allclose(found.eigenvalues[:, 0], expected, rtol=1e-6)


@pytest.mark.parametrize("kernel", [NTK(1), NTK(3, **NETWORK), Matern(1.5)], ids=str)
def test_on_the_sphere_equal_gegenbauer_integrals_in_the_inner_product(kernel):
    """A second quadrature, in t = cos θ, with Gegenbauer polynomials of SciPy."""
    d = 12
    alpha = d / 2 - 1
    t, weights = roots_gegenbauer(3000, alpha)
    y = np.sqrt(d) * np.stack([t, np.sqrt(1 - t**2), *[0 * t] * (d - 2)], axis=1)
    x = np.sqrt(d) * np.eye(1, d)
    kappa = np.asarray(kernel(jnp.asarray(x), jnp.asarray(y)))[0] * weights / weights.sum()
    p = [eval_gegenbauer(k, alpha, t) / eval_gegenbauer(k, alpha, 1.0) for k in range(7)]
    found = spectrum(kernel, d, degrees=6)
    np.testing.assert_allclose(found.eigenvalues[:, 0], np.array(p) @ kappa, atol=1e-13)
    expected = 1 - found.multiplicities @ np.array(p) @ kappa / found.trace
    np.testing.assert_allclose(found.tail / found.trace, expected, atol=1e-9)


def test_shallow_relu_kernels_without_bias_miss_odd_degrees_and_others_do_not():
    shallow, deep, biased = (
        spectrum(k, 20, degrees=8).eigenvalues[:, 0]
        for k in (NTK(1), NTK(2), NTK(1, bias_variance=0.5))
    )
    assert np.all(shallow[3::2] == 0)
    assert np.all(shallow[[0, 1, 2, 4, 6, 8]] > 0)
    assert np.all(deep > 0)
    assert np.all(biased > 0)


@pytest.mark.parametrize("d", [2, 5, 100])
def test_of_the_gaussian_kernel_under_the_gaussian_in_closed_form(d):
    """(2a/A)^{d/2} B^{k+2j}: the product over coordinates of Mehler's series, a = 1/4."""
    a, b = 0.25, 1 / (2 * 1.5**2 * d)
    total = a + b + np.sqrt(a**2 + 2 * a * b)
    found = spectrum(RBF(1.5), d, "gaussian", degrees=4)
    k, j = np.arange(5)[:, None], np.arange(3)
    expected = (2 * a / total) ** (d / 2) * (b / total) ** (k + 2 * j)
    np.testing.assert_allclose(found.eigenvalues[:, :3], expected, rtol=1e-5, atol=1e-16)
    np.testing.assert_allclose(found.weights.sum(axis=1), 1.0, rtol=1e-12)


def test_of_a_polynomial_kernel_under_the_gaussian_are_those_of_a_dense_gram_matrix():
    nodes, mass = np.polynomial.hermite_e.hermegauss(12)
    mass = mass / mass.sum()
    points = np.stack(np.meshgrid(nodes, nodes), axis=-1).reshape(-1, 2)
    kernel = Polynomial(4, 0.5)
    expected = dense(kernel, points, np.outer(mass, mass).ravel())
    found = listed(spectrum(kernel, 2, "gaussian", degrees=4))
    count = comb(6, 2)
    np.testing.assert_allclose(found[:count], expected[:count], rtol=1e-9)
    assert np.all(found[count:] <= 1e-12 * found[0])


def test_linear_and_quadratic_kernels_by_hand():
    """⟨x, y⟩/d has d eigenvalues 1/d; its square on the sphere 2/(d(d + 2)), and 1/d for |x|²."""
    d = 7
    for domain in ("sphere", "hypercube", "gaussian"):
        found = spectrum(DotProduct((0, 1)), d, domain, degrees=3)
        np.testing.assert_allclose(found.eigenvalues[:, 0], [0, 1 / d, 0, 0], atol=1e-14)
    squares = spectrum(DotProduct((0, 0, 1)), d, degrees=3)
    expected = [1 / d, 0, 2 / (d * (d + 2)), 0]
    np.testing.assert_allclose(squares.eigenvalues[:, 0], expected, atol=1e-14)


def test_homogeneous_kernels_have_one_radial_function_a_degree():
    """K = |x| |y| κ(t)/d: under the Gaussian E |x|²/d = 1 times the eigenvalues on the sphere."""
    on_sphere, under = (spectrum(ArcCosine(1), 9, domain) for domain in ("sphere", "gaussian"))
    first = under.eigenvalues[:, 0]
    np.testing.assert_allclose(first, on_sphere.eigenvalues[:, 0], rtol=1e-9, atol=1e-15)
    assert np.all(under.eigenvalues[:, 1] <= 1e-13)


def test_degrees_that_no_sample_reaches_are_left_to_the_tail():
    found = spectrum(NTK(1), 2000)
    assert found.multiplicities.max() <= 1e15
    assert len(found.multiplicities) < 8
    assert 0 < found.tail < 0.1 * found.trace


class Lopsided(Kernel):
    """Sees one coordinate only."""

    def between(self, x, y):
        return x[:, :1] @ y[:, :1].T

    def at(self, x):
        return x[:, 0] ** 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((RBF(), 1), "dim"),
        ((RBF(), 3.0), "dim"),
        ((RBF(), 3, "torus"), "domain must be one of sphere, gaussian, hypercube"),
        ((Lopsided(), 3), "Lopsided changes when both points are rotated"),
    ],
)
def test_refuses_what_has_no_such_spectrum(arguments, said):
    with pytest.raises(InvalidInputError, match=said):
        spectrum(*arguments)
