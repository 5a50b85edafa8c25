"""What a dense quadratic network knows of itself.

f depends on x through z = Uᵀx alone, U a basis of the rows that read x. Under a Gaussian z is
Gaussian, and Gauss–Hermite quadrature with p + 1 nodes a coordinate is exact at degree 2p: E f
and E f² are exact where that grid is small, and otherwise Monte Carlo finds them.

Above degree 4 an average of f² over draws hangs on a few of them, and no check of E f² by draws is
possible: it is then not among the facts, and `level_moments` gives it where it is exact.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.decompositions import qr
from featlearn.inputs import Inputs
from featlearn.inputs._checks import check_count, traced
from featlearn.precision import double_precision
from featlearn.targets._base import Facts

if TYPE_CHECKING:
    from featlearn.targets.dense import Dense

MOST_POINTS = 100_000  # of a quadrature grid; beyond, moments are not declared
LIGHT = 4  # the degree up to which E f² can be checked by draws
ZERO = 1e-6  # singular values below this part of the largest are rounding of float32 weights


class LevelMoments(NamedTuple):
    """E and E² of α_ℓ w_ℓᵀG_ℓ; standard errors are 0 where the moments are `exact`."""

    level: int
    mean: float
    second_moment: float
    mean_stderr: float
    second_moment_stderr: float
    exact: bool


def dense_facts(target: "Dense", inputs: Inputs) -> Facts:
    """Facts of a teacher; where JAX traces it, those that need no decision on its numbers."""
    if traced((target.weights, target.gaps, inputs)):
        degree = _degrees(target)[-1]
        return Facts(degree=degree, levels=target.levels, subspace=_traced_subspace(target))
    gaps = tuple(float(a) for a in target.gaps)
    degrees = [p for p, a in zip(_degrees(target), gaps, strict=True) if a != 0]
    return Facts(
        subspace=_subspace(target),
        degree=max(degrees),
        gaps=gaps if min(gaps) > 0 else None,
        levels=target.levels,
        **_declared(_exact_moments(target, inputs, max(degrees)), max(degrees)),
    )


def _declared(moments: dict[str, Any], degree: int) -> dict[str, Any]:
    """The moments that draws can check."""
    heavy = ("second_moment", "part_second_moments") if degree > LIGHT else ()
    return {name: value for name, value in moments.items() if name not in heavy}


@double_precision
def level_moments(
    target: "Dense", inputs: Inputs, *, key: Key[Array, ""], n: int = 100_000
) -> tuple[LevelMoments, ...]:
    """Moments of what each layer adds to the label: exact where known, else from n draws.

    level_moments(target, Gaussian(20), key=key)[0].mean
    """
    check_count("n", n, least=2)
    levels = range(target.first_level, target.levels + 1)
    exact = _exact_moments(target, inputs, 2**target.levels)
    if exact:
        both = zip(levels, exact["part_means"], exact["part_second_moments"], strict=True)
        return tuple(LevelMoments(level, m, s, 0.0, 0.0, True) for level, m, s in both)
    x = inputs.sample(key, n).astype(jnp.float64)
    return tuple(_measured(level, np.asarray(target.part(x, level))) for level in levels)


def _measured(level: int, values: np.ndarray) -> LevelMoments:
    root = np.sqrt(len(values))
    return LevelMoments(
        level,
        float(values.mean()),
        float((values**2).mean()),
        float(values.std(ddof=1) / root),
        float((values**2).std(ddof=1) / root),
        exact=False,
    )


def _degrees(target: "Dense") -> list[int]:
    """deg G_ℓ = 2 max_j deg G_j for each layer with weights."""
    degree = {0: 1, 1: 2}
    for level, sources in enumerate(target.graph, target.first_level):
        degree[level] = 2 * max(degree[j] for j in sources)
    return [degree[level] for level in range(target.first_level, target.levels + 1)]


def _subspace(target: "Dense") -> np.ndarray:
    """S* = the span of the rows of W_{ℓ,0}, and of the coordinates that a fixed layer feeds on."""
    rows = np.concatenate([np.asarray(w, np.float64) for w in _readers(target)])
    _, values, vectors = np.linalg.svd(rows, full_matrices=False)
    return vectors[values > ZERO * values[0]].T


def _readers(target: "Dense") -> list[Any]:
    """Matrices whose rows span S*."""
    pairs = [
        (j, w)
        for weights, sources in zip(target.weights, target.graph, strict=True)
        for w, j in zip(weights, sources, strict=True)
    ]
    squares = [w for j, w in pairs if j == 1 and target.square_mean is not None]
    found: list[Any] = [w for j, w in pairs if j == 0]
    if squares:
        read = np.any([np.any(np.abs(np.asarray(w)) > ZERO, axis=0) for w in squares], axis=0)
        found.append(np.eye(target.dim)[read])
    return found


def _traced_subspace(target: "Dense") -> Float[Array, "d r"] | None:
    """Independent rows are taken for granted, as random ones are; None for a fixed layer."""
    if target.square_mean is not None:
        return None
    rows = jnp.concatenate(_readers(target))
    return qr(rows.T)[0] if rows.shape[0] <= target.dim else jnp.eye(target.dim)


def _exact_moments(target: "Dense", inputs: Inputs, degree: int) -> dict[str, Any]:
    """Of f and of its parts, or nothing where the grid would be large or x is not Gaussian."""
    u, gaussians = _subspace(target), inputs.gaussian_parts()
    if not gaussians or (degree + 1) ** u.shape[1] > MOST_POINTS:
        return {}
    drawn = [_quadrature(u, degree, part.mean, part.covariance) for part in gaussians]
    mass = np.concatenate(
        [float(part.weight) * w for part, (_, w) in zip(gaussians, drawn, strict=True)]
    )
    parts = _parts(target, np.concatenate([x for x, _ in drawn]))
    f = parts.sum(axis=0)
    return {
        "mean": float(f @ mass),
        "second_moment": float(f**2 @ mass),
        "part_means": tuple(float(m) for m in parts @ mass),
        "part_second_moments": tuple(float(m) for m in parts**2 @ mass),
    }


@double_precision
def _parts(target: "Dense", x: np.ndarray) -> np.ndarray:
    """What each layer adds to the label, (layers, n)."""
    levels = range(target.first_level, target.levels + 1)
    return np.stack([np.asarray(target.part(jnp.asarray(x), level)) for level in levels])


def _quadrature(
    u: np.ndarray, degree: int, mean: Any, covariance: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Points U(Uᵀμ + A w) with AAᵀ = UᵀΣU, w on a Gauss–Hermite grid, and their weights."""
    r = u.shape[1]
    values, vectors = np.linalg.eigh(u.T @ np.asarray(covariance, np.float64) @ u)
    matrix = vectors * np.sqrt(np.maximum(values, 0.0))
    nodes, mass = np.polynomial.hermite_e.hermegauss(degree + 1)
    grid = np.stack(np.meshgrid(*[nodes] * r, indexing="ij"), -1).reshape(-1, r)
    weight = np.prod(np.meshgrid(*[mass / mass.sum()] * r, indexing="ij"), axis=0).ravel()
    return (grid @ matrix.T + u.T @ np.asarray(mean, np.float64)) @ u.T, weight
