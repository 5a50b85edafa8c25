"""G∘F where it can be written down: one power series, units of a linear F, or longer products."""

from typing import Any

import numpy as np

from featlearn.inputs import Inputs
from featlearn.targets._base import Target
from featlearn.targets._moments import one_direction
from featlearn.targets.multilinear import Multilinear, combined, moments, times
from featlearn.targets.products import Products
from featlearn.targets.series import Series, compose, polynomial, product_complexity
from featlearn.targets.units import Units


def composed_complexity(base: Target, composite: Target, radius: float) -> float | None:
    """C(G∘F) on |x| ≤ radius, or None where no formula gives it."""
    if isinstance(base, Products) and isinstance(composite, Products):
        found = composed_products(base.terms(), composite)
        if found is None or any(len(f) > 1 for f in found):
            return None
        return sum(abs(c) * product_complexity(len(s), radius) for f in found for s, c in f.items())
    if not isinstance(base, Units) or not isinstance(composite, Units):
        return None
    if _single(base) and composite.outputs is None:
        reach = radius * float(base.lengths()[0])
        inner = base.series[0]
        return compose(_summed(composite, inner.majorant(reach)), inner, reach).complexity(reach)
    matrix = _matrix(base)
    if matrix is None:
        return None
    lengths = radius * np.linalg.norm(matrix @ np.asarray(composite.directions), axis=0)
    return float(sum(p.complexity(r) for p, r in zip(composite.series, lengths, strict=True)))


def composed_products(
    base: tuple[Multilinear, ...], composite: Products
) -> tuple[Multilinear, ...] | None:
    """The outputs of G(F) as sums of products; None where a coordinate would be squared."""
    found = []
    for output in composite.terms():
        ((chosen, factor),) = output.items()
        total: Multilinear | None = {(): factor}
        for j in chosen:
            total = None if total is None else times(total, base[j])
        if total is None:
            return None
        found.append(total)
    return tuple(found)


def composed_moments(
    base: Target, composite: Target, alpha: float, beta: float, inputs: Inputs
) -> dict[str, Any]:
    """Moments of βF + αG(F)."""
    if isinstance(base, Products) and isinstance(composite, Products):
        f = base.terms()
        g = composed_products(f, composite)
        if g is None:
            return {}
        whole = [combined([(beta, a), (alpha, b)]) for a, b in zip(f, g, strict=True)]
        return moments(whole, base.dim, inputs)
    return _single_moments(base, composite, alpha, beta, inputs)


def _single_moments(
    base: Target, composite: Target, alpha: float, beta: float, inputs: Inputs
) -> dict[str, Any]:
    if not (isinstance(base, Units) and isinstance(composite, Units)):
        return {}
    polynomials = all(phi.length is not None for phi in (*base.series, *composite.series))
    if not (_single(base) and composite.outputs is None and polynomials):
        return {}
    inner = base.series[0]
    a = beta * inner.coefficients(1.0)
    b = alpha * compose(_summed(composite, 1.0), inner, 1.0).coefficients(1.0)
    whole = np.zeros(max(len(a), len(b)))
    whole[: len(a)] += a
    whole[: len(b)] += b
    return one_direction(polynomial(whole), np.asarray(base.directions)[:, 0], inputs)


def _single(base: Units) -> bool:
    """F = φ(⟨w, x⟩)."""
    return len(base.series) == 1 and base.outputs is None


def _summed(composite: Units, reach: float) -> Series:
    """Σ_i φ_i(v_i z), a function of one number."""
    v = np.asarray(composite.directions, np.float64)[0]
    parts = [
        phi.coefficients(reach * abs(s)) * s ** np.arange(len(phi.coefficients(reach * abs(s))))
        for phi, s in zip(composite.series, v, strict=True)
    ]
    total = np.zeros(max(map(len, parts)))
    for part in parts:
        total[: len(part)] += part
    return polynomial(total)


def _matrix(base: Units) -> np.ndarray | None:
    """M with F(x) = Mᵀx, if F is linear."""
    matrix = np.zeros((base.dim, base.width))
    w = np.asarray(base.directions, np.float64)
    for i, (phi, j) in enumerate(
        zip(base.series, base.outputs or (0,) * len(base.series), strict=True)
    ):
        if phi.degree != 1 or phi.coefficients(1.0)[0] != 0:
            return None
        matrix[:, j] += phi.coefficients(1.0)[1] * w[:, i]
    return matrix
