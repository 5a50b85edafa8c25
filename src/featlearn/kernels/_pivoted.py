"""A low-rank part of A = K/n by randomly pivoted Cholesky, and its eigenvectors.

    start with F = 0, t_i = K_ii;   repeat, until F has r columns:
      S    b rows, drawn with probabilities ∝ t                (t is the diagonal of K − F Fᵀ)
      C    K(·, S) − F F(S)ᵀ                                   (n, b)
      F    ← [F, C (C(S))^{−½}],    t ← t − |new columns|²

Rows are drawn where K is not yet explained, so that clusters and outliers are found; only r
columns of K are ever computed (Chen, Epperly, Tropp & Webber 2023). With F Fᵀ/n = U Σ Uᵀ,

    P⁻¹ = U (Σ + λI)⁻¹ Uᵀ + (I − U Uᵀ) / (σ_r + λ)

is a preconditioner of A + λI for every λ (Frangella, Tropp & Udell 2023).
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.decompositions import eigh
from featlearn.kernels._base import Kernel

BLOCK = 128  # rows drawn at a time
LEAST = 1e-13  # eigenvalues below this part of the largest are rounding


class LowRank(eqx.Module):
    """A ≈ U Σ Uᵀ ⪯ A, and the trace of what is left."""

    values: Float[Array, "r"]  # largest first
    vectors: Float[Array, "n r"]  # columns of length 1, or 0 where there is no such value
    left: Float[Array, ""]

    def precondition(self, b: Float[Array, "n k"], shift: Float[Array, "k"]) -> Float[Array, "n k"]:
        """P⁻¹b; each column has its own λ."""
        beyond = self.values[-1] + shift
        ratio = beyond / (self.values[:, None] + shift) - 1
        return (b + self.vectors @ (ratio * (self.vectors.T @ b))) / beyond

    def norm(self) -> Float[Array, ""]:
        """At least |A| as an operator."""
        return self.values[0] + self.left


def low_rank(
    kernel: Kernel,
    x: Float[Array, "n d"],
    weight: Float[Array, "n"],
    rank: int,
    key: Key[Array, ""],
) -> LowRank:
    """Of A = WKW/n; rows of weight 0 do not exist."""
    block = min(BLOCK, rank)
    rounds = -(-rank // block)
    start = kernel.at(x) * weight
    largest = jnp.max(start)

    def extend(step: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        f, left = state
        drawn = _draw(jax.random.fold_in(key, step), left, block)
        columns = _columns(kernel, x, weight, drawn) - f @ f[drawn].T
        part = columns @ _inverse_root(columns[drawn], LEAST * block * largest)
        left = jnp.maximum(left - jnp.sum(part**2, axis=1), 0.0).at[drawn].set(0.0)
        return jax.lax.dynamic_update_slice_in_dim(f, part, step * block, axis=1), left

    empty = jnp.zeros((x.shape[0], rounds * block), jnp.float64)
    f, left = jax.lax.fori_loop(0, rounds, extend, (empty, start))
    return _eigen(f / jnp.sqrt(jnp.maximum(weight.sum(), 1.0)), left, weight)


def _draw(key: Key[Array, ""], left: Float[Array, "n"], count: int) -> Array:
    """`count` different rows, one after another with probabilities ∝ `left`."""
    tiny = jnp.finfo(jnp.float64).tiny
    scores = jnp.log(jnp.maximum(left, tiny)) + jax.random.gumbel(key, left.shape, jnp.float64)
    return jax.lax.top_k(scores, count)[1]


def _columns(kernel: Kernel, x: Array, weight: Array, drawn: Array) -> Float[Array, "n b"]:
    points = x[drawn]
    columns = kernel.between(x, points).at[drawn, jnp.arange(drawn.size)].set(kernel.at(points))
    return columns * weight[:, None] * weight[drawn]


def _inverse_root(matrix: Float[Array, "b b"], floor: Array) -> Float[Array, "b b"]:
    """V s^{−½}; directions that earlier columns explain are left out."""
    values, vectors = eigh((matrix + matrix.T) / 2)
    kept = values > floor
    return jnp.where(kept, vectors / jnp.sqrt(jnp.where(kept, values, 1.0)), 0.0)


def _eigen(f: Float[Array, "n r"], left: Array, weight: Array) -> LowRank:
    values, turn = eigh(f.T @ f)
    values, turn = values[::-1], turn[:, ::-1]
    kept = values > LEAST * f.shape[1] * values[0]
    root = jnp.sqrt(jnp.where(kept, values, 1.0))
    vectors = jnp.where(kept, (f @ turn) / root, 0.0)
    return LowRank(jnp.where(kept, values, 0.0), vectors, left.sum() / jnp.maximum(weight.sum(), 1))
