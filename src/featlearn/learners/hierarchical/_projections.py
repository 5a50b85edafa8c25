"""The frozen random matrices R_ℓ, one for each k_ℓ that training may find.

    R ∈ R^{C(k+1,2) × k},   entries N(0, 1/k²)

σ(R s) are C(k+1, 2) squares, and what is read from them are quadratic forms of s ∈ R^k. How well
they reach all of these is the ratio of the smallest singular value to the largest of the matrix
with rows r_i ⊗ r_i, on symmetric matrices. In the median of single draws it is 0.04 for k = 2, and
0.012, 0.007 for k = 3, 4; a quarter of the draws for k = 2 is below 0.01, and a training that meets
one stalls where a layer's second feature should appear. So several R are drawn and the best
conditioned is kept: 0.49, 0.15, 0.07 for the best of 256. One draw is the document's own wording.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.decompositions import eigvalsh

MOST_DRAWS = 256


def pairs(k: int) -> int:
    """C(k+1, 2): the number of quadratic monomials in k variables."""
    return k * (k + 1) // 2


def conditioning(R: Float[Array, "p k"]) -> Float[Array, ""]:
    """Smallest over largest eigenvalue of the Gram matrix ⟨r_i, r_j⟩² of the r_i ⊗ r_i."""
    values = eigvalsh(jnp.matmul(R, R.T, precision="highest") ** 2)
    return values[0] / values[-1]


def draw(key: Key[Array, ""], k: int, candidates: Any, dtype: np.dtype) -> Float[Array, "p k"]:
    """R for one k: the best conditioned of the first `candidates` of MOST_DRAWS draws."""
    drawn = jax.random.normal(key, (MOST_DRAWS, pairs(k), k), dtype) / np.asarray(k, dtype)
    if k == 1:
        return drawn[0]
    allowed = jnp.arange(MOST_DRAWS) < candidates
    return drawn[jnp.argmax(jnp.where(allowed, jax.vmap(conditioning)(drawn), -jnp.inf))]


def draw_all(
    key: Key[Array, ""], most: int, candidates: Any, dtype: np.dtype
) -> Float[Array, "widths p k"]:
    """R for k = 0 … `most`, each with zeros beyond its rows and columns; for k = 0 all is zero."""
    table = [jnp.zeros((pairs(most), most), dtype)]
    for k in range(1, most + 1):
        R = draw(jax.random.fold_in(key, k), k, candidates, dtype)
        table.append(jnp.pad(R, [(0, pairs(most) - pairs(k)), (0, most - k)]))
    return jnp.stack(table)
