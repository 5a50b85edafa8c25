"""The spectrum of a rotation-invariant kernel, degree by degree, on three laws of x.

K commutes with rotations, so it maps functions of one degree k (spherical harmonics; parities of
k coordinates) to functions of that degree:

sphere      x uniform on √d S^{d−1}, t = ⟨x, y⟩/d:    μ_k = E κ(t) P_k(t),   N_k of them
            P_k: Gegenbauer with P_k(1) = 1;           N_k = C(d+k−1, k) − C(d+k−3, k−2)
hypercube   x uniform on {−1, 1}^d, t = 1 − 2m/d:     μ_k = E κ(t) Q_k(m),   C(d, k) of them
            Q_k: Krawtchouk with Q_k(0) = 1;           m ~ Binomial(d, 1/2)
gaussian    x = rω ~ N(0, I):  Y_k(ω) g(r) ↦ Y_k(ω) (T_k g)(r),   T_k(r, s) = E κ(r, s, t) P_k(t)
            the eigenvalues μ_kj of T_k under the law of r, each N_k times

The hypercube is a finite sum. On the sphere the angle is integrated by Gauss–Legendre quadrature,
with κ as a function of the angle, which is smooth for every kernel here. For the Gaussian T_k is
a matrix on the nodes of Gauss–Laguerre quadrature in r²/2: exact for polynomial kernels of degree
below twice their number, and otherwise as good as polynomials of r² describe the kernel.
"""

from collections.abc import Callable
from functools import lru_cache
from math import comb
from typing import Literal, NamedTuple, get_args

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from featlearn.errors import InvalidInputError
from featlearn.harmonics import harmonics
from featlearn.kernels._base import Kernel
from featlearn.kernels._checks import check_integer
from featlearn.precision import double_precision

Domain = Literal["sphere", "gaussian", "hypercube"]
ANGLES = 384
RADII = 16
WIDTH = 12.0  # standard deviations of the angle that are integrated over: e^{−72} is left out
MOST = 1e15  # functions of a degree: beyond, N_k μ_k drowns in rounding, and no n reaches them
EPS = float(np.finfo(np.float64).eps)


class Spectrum(NamedTuple):
    """Eigenvalues μ_kj of the operator f ↦ E K(·, x) f(x), for degrees k = 0, 1, …

    On the sphere and the hypercube there is one eigenvalue a degree. Under the Gaussian there are
    several, with radial functions, and `weights` says how a harmonic polynomial of degree k (a
    product of k different coordinates, say) is spread over them. He_k of one direction is
    harmonic up to a part O(k²/d) of its energy.
    """

    eigenvalues: Float[np.ndarray, "k j"]
    multiplicities: Float[np.ndarray, "k"]
    weights: Float[np.ndarray, "k j"]  # rows sum to 1
    trace: float  # E K(x, x)

    @property
    def tail(self) -> float:
        """The part of the trace in higher degrees."""
        return max(self.trace - float(self.multiplicities @ self.eigenvalues.sum(axis=1)), 0.0)


@double_precision
def spectrum(kernel: Kernel, dim: int, domain: Domain = "sphere", *, degrees: int = 20) -> Spectrum:
    """The spectrum up to `degrees`; fewer where a degree has more than 1e15 functions.

    Any `Kernel` that sees inner products and norms only; others are refused.

    spectrum(NTK(1), dim=20).eigenvalues[:, 0]     # zero for odd degrees above 1
    """
    if domain not in get_args(Domain):
        raise InvalidInputError(
            f"domain must be one of {', '.join(get_args(Domain))}, got {domain!r}."
        )
    check_integer("dim", dim, least=2)
    check_integer("degrees", degrees, least=0)
    _check_rotations(kernel, dim)
    return {"sphere": _sphere, "gaussian": _gaussian, "hypercube": _hypercube}[domain](
        kernel, dim, degrees
    )


def _sphere(kernel: Kernel, dim: int, degrees: int) -> Spectrum:
    cosine, weight = _angles(dim)
    x = _plane(dim, np.ones(1), np.ones(1))
    kappa = _gram(kernel, x, _plane(dim, cosine, np.ones(1)))[0]
    multiplicities = _reachable(lambda k: harmonics(dim, k), degrees)
    p = _gegenbauer(cosine, dim, len(multiplicities))
    return _plain(kappa, weight, p, multiplicities, _diagonal(kernel, x)[0])


def _hypercube(kernel: Kernel, dim: int, degrees: int) -> Spectrum:
    flipped = np.arange(dim + 1)
    y = np.where(np.arange(dim) < flipped[:, None], -1.0, 1.0)
    kappa = _gram(kernel, y[:1], y)[0]
    weight = np.array([comb(dim, m) / 2**dim for m in range(dim + 1)])
    multiplicities = _reachable(lambda k: comb(dim, k), min(degrees, dim))
    q = _krawtchouk(dim, len(multiplicities))
    return _plain(kappa, weight, q, multiplicities, _diagonal(kernel, y[:1])[0])


def _plain(
    kappa: np.ndarray, weight: np.ndarray, p: np.ndarray, multiplicities: np.ndarray, trace: float
) -> Spectrum:
    """μ_k = E κ P_k."""
    eigenvalues = p @ (weight * kappa)
    eigenvalues = _without_rounding(eigenvalues, np.abs(p) @ (weight * np.abs(kappa)))
    weights = np.ones((len(p), 1))
    return Spectrum(eigenvalues[:, None], multiplicities, weights, float(trace))


def _gaussian(kernel: Kernel, dim: int, degrees: int) -> Spectrum:
    """T_k in the basis √w_i δ(r − r_i), where its eigenvectors are orthonormal."""
    cosine, weight = _angles(dim)
    radius, mass = _radii(dim)
    scaled = radius / np.sqrt(dim)
    x, y = _plane(dim, np.ones(1), scaled), _plane(dim, cosine, scaled)
    kappa = _gram(kernel, x, y).reshape(RADII, RADII, ANGLES)
    multiplicities = _reachable(lambda k: harmonics(dim, k), degrees)
    p = _gegenbauer(cosine, dim, len(multiplicities)) * weight
    root = np.sqrt(mass)
    values, spread = [], []
    for k, row in enumerate(p):
        matrix = root[:, None] * (kappa @ row) * root
        found, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
        harmonic = root * (radius / radius.max()) ** k
        overlap = (vectors.T @ harmonic) ** 2 / (harmonic @ harmonic)
        size = np.abs(row) @ np.max(np.abs(root[:, None] * root * kappa.T), axis=(1, 2))
        values.append(_without_rounding(found, size)[::-1])
        spread.append(overlap[::-1])
    trace = float(mass @ _diagonal(kernel, x))
    return Spectrum(np.array(values), multiplicities, np.array(spread), trace)


def _reachable(count: Callable[[int], int], degrees: int) -> Float[np.ndarray, "k"]:
    counts = [count(k) for k in range(degrees + 1)]
    kept = next((k for k, many in enumerate(counts) if many > MOST), len(counts))
    return np.array(counts[:kept], np.float64)


def _gegenbauer(t: np.ndarray, dim: int, count: int) -> Float[np.ndarray, "k t"]:
    """P_{k+1} = ((2k + d − 2) t P_k − k P_{k−1}) / (k + d − 2), P_0 = 1, P_1 = t."""
    rows = [np.ones_like(t), t]
    for k in range(1, count - 1):
        above = (2 * k + dim - 2) * t * rows[k] - k * rows[k - 1]
        rows.append(above / (k + dim - 2))
    return np.stack(rows[:count])


def _krawtchouk(dim: int, count: int) -> Float[np.ndarray, "k m"]:
    """(d − k) Q_{k+1} = (d − 2m) Q_k − k Q_{k−1}, Q_0 = 1, Q_1 = 1 − 2m/d."""
    m = np.arange(dim + 1)
    rows = [np.ones(dim + 1), 1 - 2 * m / dim]
    for k in range(1, count - 1):
        rows.append(((dim - 2 * m) * rows[k] - k * rows[k - 1]) / (dim - k))
    return np.stack(rows[:count])


@lru_cache(maxsize=8)
def _angles(dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes t = cos θ and weights for the density ∝ sin^{d−2} θ, which narrows as 1/√d."""
    nodes, weights = np.polynomial.legendre.leggauss(ANGLES)
    half = min(np.pi / 2, WIDTH / np.sqrt(dim))
    theta = np.pi / 2 + half * nodes
    density = weights * np.exp((dim - 2) * np.log(np.sin(theta)))
    return np.cos(theta), density / density.sum()


@lru_cache(maxsize=8)
def _radii(dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes r and weights for |x|, x ~ N(0, I): Gauss–Laguerre in r²/2 by its Jacobi matrix.

    SciPy's weights overflow above d = 340.
    """
    k, alpha = np.arange(RADII), dim / 2 - 1
    beside = np.sqrt(k[1:] * (k[1:] + alpha))
    jacobi = np.diag(2 * k + alpha + 1) + np.diag(beside, 1) + np.diag(beside, -1)
    halves, vectors = np.linalg.eigh(jacobi)
    return np.sqrt(2 * halves), vectors[0] ** 2


def _plane(dim: int, cosine: np.ndarray, scales: np.ndarray) -> Float[np.ndarray, "p d"]:
    """Points √d s (cos θ e_1 + sin θ e_2), for each scale s and each angle."""
    points = np.zeros((len(scales), len(cosine), dim))
    points[..., 0] = np.sqrt(dim) * scales[:, None] * cosine
    points[..., 1] = np.sqrt(dim) * scales[:, None] * np.sqrt(1 - cosine**2)
    return points.reshape(-1, dim)


def _without_rounding(values: np.ndarray, size: np.ndarray | float) -> np.ndarray:
    """Eigenvalues that are rounding of a sum of that size, or negative, are 0."""
    return np.where(values > 16 * EPS * size, values, 0.0)


def _gram(kernel: Kernel, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.asarray(kernel(jnp.asarray(x), jnp.asarray(y)), np.float64)


def _diagonal(kernel: Kernel, x: np.ndarray) -> np.ndarray:
    return np.asarray(kernel.diagonal(jnp.asarray(x)), np.float64)


def _check_rotations(kernel: Kernel, dim: int) -> None:
    """K is unchanged when both points are reflected in one random plane."""
    x, normal = np.random.default_rng(0).normal(size=(4, dim)), np.ones(dim)
    normal[::2] = -0.3
    reflected = x - 2 * np.outer(x @ normal, normal) / (normal @ normal)
    there, back = _gram(kernel, x, x), _gram(kernel, reflected, reflected)
    if not np.allclose(there, back, rtol=1e-6, atol=1e-6 * np.max(np.abs(there))):
        raise InvalidInputError(
            f"{type(kernel).__name__} changes when both points are rotated, and so has no "
            "spectrum by degrees. Give a kernel of inner products and norms."
        )
