"""The teachers of these studies, by name: polynomials with E f*² = 1 under N(0, I).

    representation   He_2(z)/2 + He_p(z)/√(2·p!),  and He_2/√2 for p = 2
    hermite          He_p(z)/√p!                                      (H = 0: Assumption 2 fails)
    multi            Σ_j c_j He_2(z_j) + He_3(⟨s, z⟩)/√12             (s = (1, …, 1)/√r)
    degenerate       the same with c_r = 0: z_r enters by the cubic part only

In `multi` c_1 … c_r fall geometrically from c to c/κ, so that H = 2 diag(c) has condition κ, and
the quadratic part has energy ½.
"""

from itertools import product
from math import factorial, prod
from typing import Any

Terms = tuple[tuple[tuple[int, ...], float], ...]


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


def _multi(r: int, kappa: float, *, degenerate: bool) -> Terms:
    weights = [kappa ** (-j / max(r - 1, 1)) for j in range(r)]
    if degenerate:
        weights[-1] = 0.0
    scale = (4 * sum(w**2 for w in weights)) ** -0.5  # 2 Σ c_j² = ½
    terms: dict[tuple[int, ...], float] = {}
    for j, weight in enumerate(weights):
        if weight:
            terms[tuple(2 * (i == j) for i in range(r))] = scale * weight
    for a in product(range(4), repeat=r):  # He_3(⟨s, z⟩) = Σ_{|a|=3} 3!/a! s^a He_a(z)
        if sum(a) == 3:
            many = factorial(3) / prod(factorial(k) for k in a)
            terms[a] = many * r**-1.5 / 12**0.5
    return tuple(terms.items())
