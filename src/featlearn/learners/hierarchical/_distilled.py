"""The truly quadratic network that the features are: M_{ℓ,j} = R_ℓ K_{ℓ,j}.

    G_0 = x,   G_1 = σ(x) − E σ(x),   G_ℓ = σ(Σ_{j ∈ J_ℓ} M_{ℓ,j} G_j),   σ(z) = z²
    G   = Σ_ℓ α_ℓ ⟨u_ℓ, G_ℓ⟩,         Σ_i u_{ℓ,i} r_i r_iᵀ = I            (r_i: the rows of R_ℓ)

G_ℓ = σ(R_ℓ S_ℓ), so that ⟨u_ℓ, G_ℓ⟩ = |S_ℓ|² = Sum(σ(S_ℓ)): the same function with K in the place
of W. Where R_ℓᵀR_ℓ = I the readout u_ℓ is all ones, as in the document's remark; for other R_ℓ
these are as many equations as unknowns.
"""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.learners.hierarchical._graph import FIRST, Graph
from featlearn.learners.hierarchical._network import Form, Frozen, Weights
from featlearn.learners.hierarchical._projections import pairs
from featlearn.precision import double_inside


class QuadraticNetwork(eqx.Module):
    """A DenseNet of squares, in float64; layer ℓ is entry ℓ − 2. A layer may have no neuron."""

    M: tuple[tuple[Float[Array, "_ _"], ...], ...]  # M_{ℓ,j} in the order of J_ℓ
    readout: tuple[Float[Array, "_"], ...]  # α_ℓ u_ℓ
    mean_square: Float[Array, "d"]
    graph: Graph = eqx.field(static=True)

    @double_inside
    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        G = self._outputs(jnp.asarray(x, jnp.float64))
        return sum(
            (g @ u for g, u in zip(G[FIRST:], self.readout, strict=True)),
            jnp.zeros(len(x), jnp.float64),
        )

    @property
    def widths(self) -> tuple[int, ...]:
        """The number of neurons of each layer."""
        return tuple(u.size for u in self.readout)

    def _outputs(self, x: Float[Array, "n d"]) -> list[Float[Array, "n _"]]:
        G = [x, x**2 - self.mean_square]
        for matrices, row in zip(self.M, self.graph, strict=True):
            parts = [G[j] @ m.T for m, j in zip(matrices, row, strict=True)]
            G.append(jnp.sum(jnp.stack(parts), axis=0) ** 2)
        return G


def distilled(weights: Weights, frozen: Frozen, widths: np.ndarray, form: Form) -> QuadraticNetwork:
    """M = RK and u, without the rows and columns that training kept in reserve."""
    R = [
        np.asarray(table, np.float64)[k, : pairs(k), :k]
        for table, k in zip(frozen.projections, widths, strict=True)
    ]
    sizes = [form.dim, form.dim, *(pairs(int(k)) for k in widths)]
    M = []
    for i, row in enumerate(form.graph):
        K = np.asarray(weights.K[i], np.float64)[: widths[i]]
        ends = np.cumsum([0, *(form.size(j) for j in row)])
        blocks = (K[:, a : a + sizes[j]] for a, j in zip(ends, row, strict=False))
        M.append(tuple(jnp.asarray(R[i] @ block) for block in blocks))
    alphas = np.asarray(frozen.alphas, np.float64)
    u = tuple(jnp.asarray(a * identity_readout(r)) for a, r in zip(alphas, R, strict=True))
    mean_square = jnp.asarray(np.asarray(frozen.mean_square, np.float64))
    return QuadraticNetwork(tuple(M), u, mean_square, form.graph)


def identity_readout(R: np.ndarray) -> np.ndarray:
    """u with Σ_i u_i r_i r_iᵀ = I."""
    k = R.shape[1]
    squares = np.einsum("pi,pj->ijp", R, R).reshape(k * k, len(R))
    u: np.ndarray = np.linalg.lstsq(squares, np.eye(k).ravel(), rcond=None)[0]
    return u
