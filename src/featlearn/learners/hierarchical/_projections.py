"""The frozen random matrices R_ℓ, one for each k_ℓ that training may find.

    R ∈ R^{C(k+1,2) × k},   entries N(0, 1/k²)

σ(R s) are C(k+1, 2) squares, and what is read from them are quadratic forms of s ∈ R^k. They reach
all of these as long as the matrix with rows r_i ⊗ r_i has no small singular value on symmetric
matrices. For large k that holds with high probability; for k = 2 one draw in three misses it by a
factor of a hundred, and what then is read is nearly a smaller space. So several are drawn and the
best conditioned is kept; one draw is the document's own wording.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.decompositions import eigvalsh


def pairs(k: int) -> int:
    """C(k+1, 2): the number of quadratic monomials in k variables."""
    return k * (k + 1) // 2


def conditioning(R: Float[Array, "p k"]) -> Float[Array, ""]:
    """Smallest over largest eigenvalue of the Gram matrix ⟨r_i, r_j⟩² of the r_i ⊗ r_i."""
    values = eigvalsh(jnp.matmul(R, R.T, precision="highest") ** 2)
    return values[0] / values[-1]


def draw(key: Key[Array, ""], k: int, candidates: int, dtype: np.dtype) -> Float[Array, "p k"]:
    """R for one k: the best conditioned of the candidates."""
    drawn = jax.random.normal(key, (candidates, pairs(k), k), dtype) / np.asarray(k, dtype)
    if candidates == 1 or k == 1:
        return drawn[0]
    return drawn[jnp.argmax(jax.vmap(conditioning)(drawn))]


def draw_all(
    key: Key[Array, ""], most: int, candidates: int, dtype: np.dtype
) -> Float[Array, "widths p k"]:
    """R for k = 0 … `most`, each with zeros beyond its rows and columns; for k = 0 all is zero."""
    table = [jnp.zeros((pairs(most), most), dtype)]
    for k in range(1, most + 1):
        R = draw(jax.random.fold_in(key, k), k, candidates, dtype)
        table.append(jnp.pad(R, [(0, pairs(most) - pairs(k)), (0, most - k)]))
    return jnp.stack(table)
