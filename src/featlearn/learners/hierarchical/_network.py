"""The paper's re-parameterised network: features S_ℓ in few dimensions, layers F_ℓ in many.

    S_0 = x,   S_1 = σ(x) − E σ(x),                                σ(z) = z²
    Q_ℓ = (S_j for j ∈ J_ℓ, j < 2;   σ̃(R_j S_j) for j ∈ J_ℓ, j ≥ 2)         what layer ℓ reads
    S_ℓ = K_ℓ Q_ℓ      ∈ R^{k_ℓ}                                            hidden features
    F_ℓ = σ(W_ℓ Q_ℓ)   ∈ R^m,         ℓ = 2, …, L
    F   = Σ_ℓ α_ℓ Sum(F_ℓ)

W and K are trained, R_ℓ is random and frozen. σ̃ is the truncated square, or σ itself. Since k_ℓ is
found during training, K_ℓ has as many rows as k_ℓ may reach: those beyond k_ℓ are 0, and so are the
rows and columns of R_ℓ that belong to them.
"""

from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from featlearn.learners.hierarchical._activation import truncated_square
from featlearn.learners.hierarchical._graph import FIRST, Graph
from featlearn.learners.hierarchical._projections import pairs


class Weights(NamedTuple):
    """What is trained; entry i belongs to layer i + 2."""

    W: tuple[Float[Array, "m _"], ...]
    K: tuple[Float[Array, "_ _"], ...]


class Form(NamedTuple):
    """The sizes and connections of a network; `most` bounds k_ℓ layer by layer."""

    dim: int
    graph: Graph
    most: tuple[int, ...]
    neurons: int

    @property
    def layers(self) -> int:
        return len(self.graph)

    def size(self, level: int) -> int:
        """How many numbers a reader of this level gets."""
        return self.dim if level < FIRST else pairs(self.most[level - FIRST])

    def reads(self, layer: int) -> int:
        """The length of Q: what entry `layer` of the weights multiplies."""
        return sum(self.size(j) for j in self.graph[layer])

    def last(self, layer: int) -> int:
        """How many of them come from the level just below, ℓ−1; they stand at the end."""
        below = layer + FIRST - 1
        return self.size(below) if below in self.graph[layer] else 0

    def zeros(self, dtype: np.dtype) -> Weights:
        """W = K = 0, where Algorithm 1 starts."""
        layers = range(self.layers)
        return Weights(
            tuple(jnp.zeros((self.neurons, self.reads(i)), dtype) for i in layers),
            tuple(jnp.zeros((self.most[i], self.reads(i)), dtype) for i in layers),
        )


class Frozen(eqx.Module):
    """What is not trained: α, E σ(x), R_ℓ for every k_ℓ, and the level of truncation."""

    alphas: Float[Array, "layers"]
    mean_square: Float[Array, "d"]
    projections: tuple[Float[Array, "_ _ _"], ...]  # see `_projections`
    cut: Float[Array, ""]


def projections(frozen: Frozen, widths: Int[Array, "layers"]) -> tuple[Float[Array, "_ _"], ...]:
    """R_2, …, R_L for the k_ℓ in `widths`."""
    return tuple(table[widths[i]] for i, table in enumerate(frozen.projections))


class Levels(NamedTuple):
    """S_0, …, S_L, and Q_2, …, Q_L."""

    S: list[Float[Array, "n _"]]
    Q: list[Float[Array, "n _"]]


def levels(
    weights: Weights,
    frozen: Frozen,
    widths: Int[Array, "layers"],
    graph: Graph,
    x: Float[Array, "n d"],
    *,
    truncated: bool,
) -> Levels:
    """Every level of the network at the points x."""
    cut = frozen.cut if truncated else np.inf
    S = [x, x**2 - frozen.mean_square]
    read = list(S)  # as the layers above see them
    Q = []
    for K, R, row in zip(weights.K, projections(frozen, widths), graph, strict=True):
        Q.append(jnp.concatenate([read[j] for j in row], axis=1))
        S.append(_times(Q[-1], K))
        read.append(truncated_square(_times(S[-1], R), cut))
    return Levels(S, Q)


def layer_sums(
    W: tuple[Float[Array, "m _"], ...], Q: list[Float[Array, "n _"]]
) -> Float[Array, "n layers"]:
    """Sum(F_ℓ) of every layer: the outer σ is not truncated."""
    return jnp.stack([jnp.sum(_times(q, w) ** 2, axis=1) for w, q in zip(W, Q, strict=True)], 1)


def predict(
    weights: Weights,
    frozen: Frozen,
    widths: Int[Array, "layers"],
    graph: Graph,
    x: Float[Array, "n d"],
    *,
    truncated: bool,
) -> Float[Array, "n"]:
    """F(x), or F̃(x) when truncated."""
    Q = levels(weights, frozen, widths, graph, x, truncated=truncated).Q
    return layer_sums(weights.W, Q) @ frozen.alphas


def _times(x: Float[Array, "n q"], matrix: Float[Array, "k q"]) -> Float[Array, "n k"]:
    return jnp.matmul(x, matrix.T, precision="highest")
