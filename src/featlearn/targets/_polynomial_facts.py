"""What a polynomial of r directions knows of itself.

Under a Gaussian x ~ N(μ, Σ) the projections z = Uᵀx are Gaussian too, z = Uᵀμ + A w with
AAᵀ = UᵀΣU and w ~ N(0, I_r): in the coordinates w the polynomial has a Hermite expansion, and
every moment is read off its coefficients.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from featlearn.decompositions import qr
from featlearn.inputs import Inputs
from featlearn.targets import hermite
from featlearn.targets._base import Facts

if TYPE_CHECKING:
    from featlearn.targets.multi_index import MultiIndex

MOST_POINTS = 10**7  # of a change of coordinates; beyond, moments are not declared


def known_facts(target: "MultiIndex", inputs: Inputs) -> Facts:
    """Facts of a teacher whose numbers are known."""
    u = np.asarray(target.directions, np.float64)
    c = np.asarray(target.coefficients, np.float64)
    present = hermite.support(target.indices, c)
    return Facts(
        subspace=_subspace(u, target.orthonormal, target.indices, c),
        degree=max(sum(a) for a in present),
        levels=1,
        **_moments(target, u, c, inputs),
        **(_exponents(target, u, c) if inputs.standard else {}),
    )


def traced_facts(target: "MultiIndex", inputs: Inputs) -> Facts:
    """Facts of a teacher that JAX traces: no rank, no exponent, and S* as spanned by U."""
    u, c, indices = target.directions, target.coefficients, target.indices
    used = [j for j in range(u.shape[1]) if any(a[j] for a in indices)]
    plain = target.orthonormal and inputs.standard
    return Facts(
        subspace=u[:, used] if target.orthonormal else qr(u[:, used])[0],
        degree=max(sum(a) for a in indices),
        levels=1,
        **(_read_off(u, c, indices) if plain else {}),
    )


def _read_off(u: Any, c: Any, indices: hermite.Indices) -> dict[str, Any]:
    """Moments of Σ c_a He_a(Uᵀx) when Uᵀx ~ N(0, I)."""
    r = len(indices[0])
    h = hermite.stacked([v for row in hermite.hessian(indices, c) for v in row], c).reshape(r, r)
    return {
        "mean": hermite.mean(indices, c),
        "second_moment": hermite.second_moment(indices, c),
        "linear": u @ hermite.stacked(hermite.gradient(indices, c), c),
        "hessian": u @ h @ u.T,
    }


def _moments(target: "MultiIndex", u: np.ndarray, c: np.ndarray, inputs: Inputs) -> dict[str, Any]:
    if target.orthonormal and inputs.standard:
        return _read_off(u, c, target.indices)
    parts = inputs.gaussian_parts()
    if not parts or hermite.rewriting_size(target.indices, u.shape[1]) > MOST_POINTS:
        return {}
    moments = [
        _gaussian_moments(u, c, target.indices, part.mean, part.covariance) for part in parts
    ]
    weights = [float(part.weight) for part in parts]
    return {
        name: sum(w * m[name] for w, m in zip(weights, moments, strict=True)) for name in moments[0]
    }


def _gaussian_moments(
    u: np.ndarray, c: np.ndarray, indices: hermite.Indices, mean: Any, covariance: Any
) -> dict[str, Any]:
    """Moments under N(mean, covariance): values in the coordinates w, derivatives in those of z.

    Derivatives need E ∂g(z), and z may have a singular law, so they are taken before the change
    of coordinates: ∂_j He_a = a_j He_{a − e_j}.
    """
    shift = u.T @ np.asarray(mean, np.float64)
    values, vectors = np.linalg.eigh(u.T @ np.asarray(covariance, np.float64) @ u)
    matrix = vectors * np.sqrt(np.maximum(values, 0.0))
    new, d = hermite.rewrite(indices, c, matrix, shift)
    r = u.shape[1]
    first = [hermite.derivative(indices, c, j) for j in range(r)]
    g = np.array([_average(*part, matrix, shift) for part in first])
    h = np.array(
        [
            [_average(*hermite.derivative(*part, k), matrix, shift) for k in range(r)]
            for part in first
        ]
    )
    return {
        "mean": hermite.mean(new, d),
        "second_moment": hermite.second_moment(new, d),
        "linear": u @ g,
        "hessian": u @ h @ u.T,
    }


def _average(
    indices: hermite.Indices, c: np.ndarray, matrix: np.ndarray, shift: np.ndarray
) -> float:
    return float(hermite.mean(*hermite.rewrite(indices, c, matrix, shift)))


def _exponents(target: "MultiIndex", u: np.ndarray, c: np.ndarray) -> dict[str, Any]:
    """Exponents under N(0, I). The leap belongs to coordinates: those of `_subspace`, if given."""
    indices = target.indices
    if not target.orthonormal:
        if hermite.rewriting_size(indices, u.shape[1]) > MOST_POINTS:
            return {}
        indices, c = hermite.rewrite(indices, c, np.linalg.qr(u)[1].T)
    exponent = hermite.information_exponent(indices, c)
    known_leap = (target.orthonormal or u.shape[1] == 1) and _independent(indices, c)
    return {
        "information_exponent": exponent,
        "leap": hermite.leap(indices, c) if known_leap else None,
    }


def _subspace(
    u: np.ndarray, orthonormal: bool, indices: hermite.Indices, c: np.ndarray
) -> np.ndarray:
    """S* = U · range(E ∇g ∇gᵀ): the directions that f* depends on, which may be fewer than r.

    The range does not depend on the law of z, as long as it has a density.
    """
    values, vectors = np.linalg.eigh(hermite.gradient_gram(indices, c))
    if _independent(indices, c):
        used = u[:, _used(indices, c)]
        return used if orthonormal else np.linalg.qr(used)[0]
    return np.linalg.qr(u @ vectors[:, values > hermite.ZERO * values.max()])[0]


def _used(indices: hermite.Indices, c: np.ndarray) -> list[int]:
    present = hermite.support(indices, c)
    return [j for j in range(len(indices[0])) if any(a[j] for a in present)]


def _independent(indices: hermite.Indices, c: np.ndarray) -> bool:
    """Whether g depends on as many directions as coordinates occur in it; z_1 + z_2 does not."""
    values = np.linalg.eigvalsh(hermite.gradient_gram(indices, c))
    return int(np.sum(values > hermite.ZERO * values.max())) == len(_used(indices, c))
