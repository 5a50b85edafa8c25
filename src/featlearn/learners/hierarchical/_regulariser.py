"""The four regularisers, layer by layer. With D = KᵀK − WᵀW in blocks by what the layer reads:

    Reg = Σ_ℓ  λ3 ‖D[ℓ−1, ◁]‖² + λ4 ‖D[ℓ−1, ℓ−1]‖² + λ5 ‖D‖² + λ6 (‖K_ℓ‖² + ‖W_ℓ‖²)

ℓ−1 is the level just below and ◁ every other level that is read. The first three distil W into
the smaller K: they are 0 where KᵀK = WᵀW.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.learners.hierarchical._network import Form, Weights


class Penalties(NamedTuple):
    """λ3, λ4, λ5, λ6 of each layer."""

    cross: Float[Array, "layers"]
    below: Float[Array, "layers"]
    whole: Float[Array, "layers"]
    decay: Float[Array, "layers"]


def gram(matrix: Float[Array, "m q"]) -> Float[Array, "q q"]:
    """MᵀM."""
    return jnp.matmul(matrix.T, matrix, precision="highest")


def layer_terms(W: Float[Array, "m q"], K: Float[Array, "k q"], last: int) -> Float[Array, "4"]:
    """The squares that λ3, λ4, λ5, λ6 of one layer multiply; `last` is the size of block ℓ−1."""
    D = gram(K) - gram(W)
    cut = D.shape[0] - last
    cross, below, whole = (jnp.sum(a**2) for a in (D[cut:, :cut], D[cut:, cut:], D))
    return jnp.stack([cross, below, whole, jnp.sum(K**2) + jnp.sum(W**2)])


def regulariser(weights: Weights, penalties: Penalties, form: Form) -> Float[Array, ""]:
    """Reg(W, K)."""
    terms = [
        layer_terms(W, K, form.last(i))
        for i, (W, K) in enumerate(zip(weights.W, weights.K, strict=True))
    ]
    return jnp.sum(jnp.stack(terms) * jnp.stack(penalties, axis=1))
