"""What a training by Algorithm 1 gives."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from featlearn.learners._fitting import check_level, like_inputs
from featlearn.learners.hierarchical._distilled import QuadraticNetwork, distilled
from featlearn.learners.hierarchical._network import Form, Frozen, Weights, levels, predict
from featlearn.precision import double_inside
from featlearn.training import snapshot_index


class Checkpoints(eqx.Module):
    """Weights and k_ℓ at every look at the rules, on a leading axis."""

    steps: Int[Array, "checks"]
    weights: Weights
    widths: Int[Array, "checks layers"]


class HierarchicalFit(eqx.Module):
    """F(x) = Σ_ℓ α_ℓ Sum(F_ℓ(x)), truly quadratic.

    fit(x)               F, with W, without truncation
    fit.truncated(x)     F̃, what was trained
    fit.narrow(x)        Σ_ℓ α_ℓ Sum(σ(S_ℓ)): K in the place of W; a pure function, for fleets
    fit.distilled()      the same function as a quadratic network of its own, M = RK
    fit.features(x, ℓ)   S_ℓ, with columns of zeros beyond k_ℓ; S_0 = x and S_1 = σ(x) − E σ(x)
    fit.at(step)         the model as it was at that step, before a correction for instance

    `fit.record` says what happened: see `Hierarchical`.
    """

    weights: Weights
    frozen: Frozen
    widths: Int[Array, "layers"]
    form: Form = eqx.field(static=True)
    flat: bool = eqx.field(static=True)
    record: dict[str, Any]
    checkpoints: Checkpoints

    @double_inside
    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
        return self._shaped(self._predict(x, truncated=False))

    @double_inside
    def truncated(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
        """F̃(x), with the truncated activation inside."""
        return self._shaped(self._predict(x, truncated=True))

    @double_inside
    def narrow(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
        """Σ_ℓ α_ℓ Sum(σ(S_ℓ(x))), without truncation."""
        S = self._levels(x).S[2:]
        sums = jnp.stack([jnp.sum(s**2, axis=1) for s in S], axis=1)
        return self._shaped(sums @ self.frozen.alphas)

    @double_inside
    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n k"]:
        """S_ℓ(x), without truncation."""
        check_level(level, self.form.layers + 1)
        x = self._inputs(x)
        return x if level == 0 else self._levels(x).S[level]

    def at(self, step: int) -> "HierarchicalFit":
        """The model at the last look at the rules that is not later than `step`."""
        i = snapshot_index(self.checkpoints.steps, step)
        weights, widths = jax.tree.map(
            lambda a: a[i], (self.checkpoints.weights, self.checkpoints.widths)
        )
        return eqx.tree_at(lambda f: (f.weights, f.widths), self, (weights, widths))

    def distilled(self) -> QuadraticNetwork:
        """The quadratic network with M_{ℓ,j} = R_ℓ K_{ℓ,j}; not under `jit`, as k_ℓ is a shape."""
        return distilled(self.weights, self.frozen, np.asarray(self.widths), self.form)

    def _predict(self, x: Array, *, truncated: bool) -> Array:
        x = self._inputs(x)
        return predict(
            self.weights, self.frozen, self.widths, self.form.graph, x, truncated=truncated
        )

    def _levels(self, x: Array) -> Any:
        x = self._inputs(x)
        graph = self.form.graph
        return levels(self.weights, self.frozen, self.widths, graph, x, truncated=False)

    def _inputs(self, x: Any) -> Array:
        return like_inputs(x, self.form.dim, self.frozen.alphas.dtype)

    def _shaped(self, y: Float[Array, "n"]) -> Float[Array, "n *k"]:
        return y if self.flat else y[:, None]
