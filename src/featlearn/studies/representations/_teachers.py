"""The teachers of these studies, by name: polynomials with E f*² = 1 under N(0, I).

    representation   He_2(z)/2 + He_p(z)/√(2·p!),  and He_2/√2 for p = 2
    hermite          He_p(z)/√p!                                      (H = 0: Assumption 2 fails)
    multi            Σ_j c_j He_2(z_j) + He_3(⟨s, z⟩)/√12             (s = (1, …, 1)/√r)
    degenerate       the same with c_r = 0: z_r enters by the cubic part only

In `multi` c_1 … c_r fall geometrically from c to c/κ, so that H = 2 diag(c) has condition κ, and
the quadratic part has energy ½.
"""

from collections.abc import Sequence
from itertools import product
from math import factorial, prod
from typing import Any

Index = tuple[int, ...]
Terms = tuple[tuple[Index, float], ...]


def terms_of(parameters: Any) -> Terms:
    """{multi-index: coefficient} of the teacher that a cell names."""
    form, p = parameters["form"], int(parameters["p"])
    if form == "representation":
        if p == 2:
            return (((2,), 0.5**0.5),)
        return (((2,), 0.5), ((p,), (2.0 * factorial(p)) ** -0.5))
    if form == "hermite":
        return (((p,), factorial(p) ** -0.5),)
    r, kappa = int(parameters["r"]), float(parameters["kappa"])
    return _multi(r, kappa, degenerate=form == "degenerate")


def together(teachers: Sequence[Terms]) -> tuple[tuple[Index, ...], list[list[float]]]:
    """The multi-indices that any teacher has, and of each teacher all their coefficients."""
    indices = tuple(sorted({a for terms in teachers for a, _ in terms}))
    return indices, [[dict(terms).get(a, 0.0) for a in indices] for terms in teachers]


def degrees_of(terms: Terms) -> tuple[int, ...]:
    """The degrees of which a teacher has a part."""
    return tuple(sorted({sum(a) for a, _ in terms}))


def _multi(r: int, kappa: float, *, degenerate: bool) -> Terms:
    weights = [kappa ** (-j / max(r - 1, 1)) for j in range(r)]
    if degenerate:
        weights[-1] = 0.0
    scale = (4 * sum(w**2 for w in weights)) ** -0.5  # 2 Σ c_j² = ½
    terms: dict[Index, float] = {}
    for j, weight in enumerate(weights):
        if weight:
            terms[tuple(2 * (i == j) for i in range(r))] = scale * weight
    for a in product(range(4), repeat=r):  # He_3(⟨s, z⟩) = Σ_{|a|=3} 3!/a! s^a He_a(z)
        if sum(a) == 3:
            many = factorial(3) / prod(factorial(k) for k in a)
            terms[a] = many * r**-1.5 / 12**0.5
    return tuple(terms.items())
