"""Where K_ℓ starts, and how k_ℓ is found.

    W_{ℓ,ℓ−1}ᵀ W_{ℓ◁} = Σ_i s_i u_i v_iᵀ,   s_1 ≥ s_2 ≥ …      (◁: what is read beside level ℓ−1)
    k_ℓ = number of s_i above a threshold
    K_{ℓ,ℓ−1}ᵀ = U S^½,   K_{ℓ◁}ᵀ = V S^½                      (the first k_ℓ of each)

so that K_{ℓ,ℓ−1}ᵀ K_{ℓ◁} is the best approximation of rank k_ℓ. A layer that reads one level has no
such block: there W_ℓᵀW_ℓ = Σ_i s_i u_i u_iᵀ, and K_ℓᵀ = U S^½.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from featlearn.decompositions import eigh, svd
from featlearn.learners.hierarchical._regulariser import gram


class Start(NamedTuple):
    """K_ℓ with zero rows beyond k_ℓ, k_ℓ, and the singular values, largest first."""

    K: Float[Array, "k q"]
    width: Int[Array, ""]
    values: Float[Array, "k"]


def start(W: Float[Array, "m q"], last: int, threshold: Float[Array, ""], most: int) -> Start:
    """K_ℓ from W_ℓ; `threshold` is a fraction of the largest singular value."""
    M = gram(W)
    cut = M.shape[0] - last
    values, left, right = _strongest(M[cut:, :cut]) if 0 < last < M.shape[0] else _whole(M)
    values, left, right = values[:most], left[:, :most], right[:, :most]
    kept = values > jnp.maximum(threshold * values[0], jnp.finfo(W.dtype).tiny)
    root = jnp.sqrt(jnp.where(kept, values, 0))
    blocks = (right, left) if 0 < last < M.shape[0] else (right,)
    rows = jnp.concatenate([root[:, None] * b.T for b in blocks], axis=1)
    missing = most - rows.shape[0]
    return Start(
        jnp.pad(rows, [(0, missing), (0, 0)]),
        jnp.sum(kept).astype(jnp.int32),
        jnp.pad(values, (0, missing)),
    )


def _strongest(block: Float[Array, "p q"]) -> tuple[Array, Array, Array]:
    left, values, right = svd(block)
    return values, left, right.T


def _whole(M: Float[Array, "q q"]) -> tuple[Array, Array, Array]:
    values, vectors = eigh(M)
    return jnp.maximum(values[::-1], 0), vectors[:, ::-1], vectors[:, ::-1]
