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
DOUBLED = 1e-7  # pairs of formulas with a cusp keep half of the digits where points coincide
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
    for scale in SCALES:
        _check_gram(kernel, scale * points)
        _check_diagonal(kernel, scale * x)
        _check_single(kernel, scale * points)
    _check_distinct(kernel, x)
    _check_pairs(kernel, x, y)
    _check_gradients(kernel, x, y)
    _check_finite_gradients(kernel, x[0])
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
    gram = np.array(_gram(kernel, x, x))
    np.fill_diagonal(gram, kernel.diagonal(jnp.asarray(x)))
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


def _check_finite_gradients(kernel: Kernel, x: np.ndarray) -> None:
    """With respect to both points, at every scale."""

    def value(left: Array, right: Array) -> Array:
        return kernel(left[None], right[None])[0, 0] + kernel(left[None])[0, 0]

    pairs = {"y = x": (x, x), "y = -x": (x, -x), "x = 0": (0 * x, x), "x = y = 0": (0 * x, 0 * x)}
    left, right = (
        np.stack([scale * pair[side] for scale in SCALES for pair in pairs.values()])
        for side in (0, 1)
    )
    gradients = jax.jit(jax.vmap(jax.grad(value, argnums=(0, 1))))(left, right)
    finite = np.isfinite(np.concatenate(gradients, axis=1)).all(axis=1)
    for at, ok in zip(list(pairs) * len(SCALES), finite, strict=True):
        require(ok, f"gradient: not finite at {at}.")


def _check_gradients(kernel: Kernel, x: np.ndarray, y: np.ndarray) -> None:
    """Against differences, along a random direction, of pairs and of the diagonal."""
    direction = jnp.asarray(np.random.default_rng(3).normal(size=x.shape))

    @jax.jit
    def value(t: Any) -> Array:
        moved = x + t * direction
        return jnp.stack([jnp.sum(kernel(moved, jnp.asarray(y))), jnp.sum(kernel.at(moved))])

    measured = (value(STEP) - value(-STEP)) / (2 * STEP)
    check_equal("gradient", jax.jacfwd(value)(0.0), measured, tolerance=1e-6)


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
