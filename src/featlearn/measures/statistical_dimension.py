"""How many Gaussian measurements determine a matrix of low rank by its nuclear norm.

    δ = inf_τ E dist(G, τ ∂‖M‖_*)²
      = inf_τ  r(p + q − r) + τ² r + E Σ_i max(σ_i(G') − τ, 0)²,     G' of size (p − r) × (q − r)

with G, G' of standard Gaussian entries. Convex recovery of a p × q matrix of rank r fails for
n below δ and succeeds above, within a window that is narrow against δ (Amelunxen, Lotz, McCoy and
Tropp 2014). δ lies between r(p + q − r), the numbers that a matrix of rank r has, and
3r(p + q − r).
"""

from functools import lru_cache

import numpy as np
from scipy.optimize import minimize_scalar

from featlearn.errors import InvalidInputError

DRAWS = 400  # of G', fixed: the value is a function of its arguments alone


def nuclear_dimension(rows: int, columns: int, rank: int) -> float:
    """δ for a matrix of `rows` × `columns` and this rank, by a fixed number of draws of G'.

    What it cannot tell: it is an upper bound that is off by O(√(p q)/r) and exact as the matrix
    grows; and it speaks of the nuclear norm alone, not of descent on factors.

        nuclear_dimension(16, 16, 1)
    """
    if not 1 <= rank <= min(rows, columns):
        raise InvalidInputError(
            f"A matrix of {rows} × {columns} has a rank between 1 and {min(rows, columns)}, "
            f"got {rank}."
        )
    return _nuclear_dimension(int(rows), int(columns), int(rank))


@lru_cache(maxsize=256)
def _nuclear_dimension(rows: int, columns: int, rank: int) -> float:
    free = rank * (rows + columns - rank)
    if rank == min(rows, columns):
        return float(free)
    shape = (DRAWS, rows - rank, columns - rank)
    draws = np.random.default_rng(0).standard_normal(shape)
    sizes = np.linalg.svd(draws, compute_uv=False)

    def distance(tau: float) -> float:
        over = np.sum(np.maximum(sizes - tau, 0.0) ** 2, axis=1)
        return float(free + tau**2 * rank + over.mean())

    most = float(np.sqrt(rows) + np.sqrt(columns) + 3)
    found = minimize_scalar(distance, bounds=(0.0, most), method="bounded")
    return float(found.fun)
