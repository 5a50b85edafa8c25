"""What every kernel promises: a Gram matrix, whatever the points, and derivatives.

Differences are measured against √(K(x, x) K(y, y)), the largest that |K(x, y)| can be.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from featlearn.kernels import Kernel
from featlearn.precision import double_precision
from featlearn.testing.bands import check_equal, require

SCALES = (1e-4, 1.0, 1e4)
EXACT = 1e-12
DOUBLED = 2e-7  # pairs of formulas with a cusp keep half of the digits where points coincide
SINGLE = 1e-5
STEP = 1e-5


@double_precision
def check_kernel(kernel: Kernel, *, dim: int = 4, homogeneity: float | None = None) -> None:
    """Check a kernel on points of `dim` numbers: near and far, equal, opposite and zero.

    `homogeneity` is the power h of K(sx, sy) = s^h K(x, y), where the kernel states one.

    check_kernel(NTK(2), homogeneity=2)
    """
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(8, dim)), 1.5 * rng.normal(size=(8, dim))
    points = np.concatenate([x, x[:2], -x[:2], _neighbours(x[:1]), 0 * x[:1]])
    _check_distinct(kernel, x)
    for scale in SCALES:
        _check_gram(kernel, scale * points)
        _check_diagonal(kernel, scale * x)
        _check_single(kernel, scale * points)
    _check_pairs(kernel, x, y)
    _check_gradients(kernel, x, y)
    if homogeneity is not None:
        _check_homogeneity(kernel, x, y, homogeneity)


def _neighbours(x: np.ndarray) -> np.ndarray:
    return np.concatenate([x * (1 + step) for step in (1e-12, 1e-8, 1e-5)])


def _check_gram(kernel: Kernel, points: np.ndarray) -> None:
    gram = _gram(kernel, points)
    size = _size(np.diag(gram), np.diag(gram))
    require(np.all(np.isfinite(gram)), "gram: not finite.")
    require(np.all(np.abs(gram - gram.T) <= EXACT * size), "gram: not symmetric.")
    excess = np.max(np.abs(gram) / size)
    require(excess <= 1 + EXACT, f"gram: |K(x, y)| is {excess:.15g} of √(K(x, x) K(y, y)).")
    _check_semi_definite("gram of points that coincide", gram, DOUBLED)


def _check_distinct(kernel: Kernel, x: np.ndarray) -> None:
    """By pairs: without a second argument half of the matrix is a copy."""
    gram = np.array(_gram(kernel, x, x))
    np.fill_diagonal(gram, kernel.diagonal(jnp.asarray(x)))
    size = _size(np.diag(gram), np.diag(gram))
    require(np.all(np.abs(gram - gram.T) <= EXACT * size), "pairs: not symmetric.")
    _check_semi_definite("gram of distinct points", gram, EXACT)


def _check_semi_definite(name: str, gram: np.ndarray, tolerance: float) -> None:
    """Of K(x, y)/√(K(x, x) K(y, y)): the scale of a point does not hide another."""
    eigenvalues = np.linalg.eigvalsh(gram / _size(np.diag(gram), np.diag(gram)))
    require(
        eigenvalues[0] >= -tolerance * eigenvalues[-1],
        f"{name}: an eigenvalue is {eigenvalues[0] / eigenvalues[-1]:.2g} of the largest.",
    )


def _check_diagonal(kernel: Kernel, x: np.ndarray) -> None:
    diagonal = np.asarray(kernel.diagonal(jnp.asarray(x)))
    for name, gram, tolerance in (
        ("diagonal, against the gram matrix", _gram(kernel, x), EXACT),
        ("diagonal, against pairs of equal points", _gram(kernel, x, x), DOUBLED),
    ):
        off = np.max(np.abs(np.diag(gram) - diagonal) / diagonal)
        require(off <= tolerance, f"{name}: differs by {off:.2g}, {tolerance:.1g} is allowed.")


def _check_pairs(kernel: Kernel, x: np.ndarray, y: np.ndarray) -> None:
    """Entries depend on their own two points, so that any block can be computed alone."""
    gram = _gram(kernel, x, y)
    block = _gram(kernel, x[2:5], y[3:7])
    check_equal("a block alone", block, gram[2:5, 3:7], tolerance=EXACT)
    check_equal("the transpose", _gram(kernel, y, x).T, gram, tolerance=EXACT)
    c = np.random.default_rng(2).normal(size=(len(y), 3))
    product = kernel.product(jnp.asarray(x), jnp.asarray(y), jnp.asarray(c))
    check_equal("product", product, gram @ c, tolerance=EXACT)


def _check_single(kernel: Kernel, x: np.ndarray) -> None:
    """float32 points, also in a 32-bit session, against the same points in float64."""
    single = x.astype(np.float32)
    exact = _gram(kernel, single.astype(np.float64))
    size = _size(np.diag(exact), np.diag(exact))
    with jax.enable_x64(False):
        narrow = np.asarray(kernel(jnp.asarray(single)), np.float64)
    for name, gram in (("float32 points", _gram(kernel, single)), ("a 32-bit session", narrow)):
        fits = size < np.finfo(np.float32).max
        off = np.max(np.where(fits, np.abs(gram - exact) / size, 0.0))
        require(off <= SINGLE, f"{name}: differs by {off:.2g}, {SINGLE:.1g} is allowed.")


def _check_gradients(kernel: Kernel, x: np.ndarray, y: np.ndarray) -> None:
    """Finite where formulas are not, at every scale; elsewhere equal to differences."""
    one, moved = x[0], STEP * np.random.default_rng(3).normal(size=x.shape)
    places = {
        "y = x": (one, one),
        "y = -x": (one, -one),
        "x = 0": (0 * one, one),
        "x = y = 0": (0 * one, 0 * one),
    }
    pairs = [tuple(scale * z for z in pair) for scale in SCALES for pair in places.values()]
    left, right = (np.stack(side) for side in zip(*pairs, *zip(x, y, strict=True), strict=True))
    slopes = [np.asarray(g) for g in _slopes(kernel)(left, right)]
    for at, *found in zip(list(places) * len(SCALES), *slopes, strict=False):
        require(all(np.isfinite(g).all() for g in found), f"gradient: not finite at {at}.")
    along = np.einsum("npd,nd->np", slopes[0][len(pairs) :], moved)
    expected = (_pairs(kernel, x + moved, y) - _pairs(kernel, x - moved, y)) / 2
    for name, got, wanted in zip(("pairs", "the diagonal"), along.T, expected, strict=True):
        check_equal(f"gradient of {name}", got, wanted, tolerance=1e-6)


def _slopes(kernel: Kernel) -> Any:
    """Derivatives of K(x, y) and K(x, x) by x and by y, for rows x and y: (n, 2, d) each."""

    def values(left: Array, right: Array) -> Array:
        both = kernel.between(left[None], right[None])[0, 0]
        return jnp.stack([both, kernel.at(left[None])[0]])

    return jax.jit(jax.vmap(jax.jacrev(values, argnums=(0, 1))))


def _pairs(kernel: Kernel, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.stack([np.diag(_gram(kernel, x, y)), kernel.diagonal(jnp.asarray(x))])


def _check_homogeneity(kernel: Kernel, x: np.ndarray, y: np.ndarray, power: float) -> None:
    gram = _gram(kernel, x, y)
    for scale in SCALES:
        scaled = _gram(kernel, scale * x, scale * y) / scale**power
        name = f"homogeneity of power {power:g} at scale {scale:g}"
        check_equal(name, scaled, gram, tolerance=1e-9)


def _gram(kernel: Kernel, x: np.ndarray, y: np.ndarray | None = None) -> np.ndarray:
    return np.asarray(kernel(jnp.asarray(x), None if y is None else jnp.asarray(y)), np.float64)


def _size(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """√(K(x, x) K(y, y)), and 1 beside a point where the kernel vanishes."""
    roots = [np.sqrt(np.where(d > 0, d, 1.0)) for d in (left, right)]
    return np.outer(*roots)
