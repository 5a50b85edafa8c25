"""A dense network with quadratic activation, and the model that its training gives.

    F_ℓ = σ(W_{ℓ,0} x + Σ_{j ∈ J_ℓ} W_{ℓ,j} F_j),   σ(z) = z²
    f(x) = s (c + Σ_ℓ α_ℓ a_ℓᵀ F_ℓ(x)),             a_ℓ = ±1/√m_ℓ fixed

The layers are ℓ = 1 … L; above a fixed first layer, F_1 = σ(x) − E σ(x), they are ℓ = 2 … L.
s is the root-mean-square of the labels, so that learning rates mean the same for every target.
"""

from functools import reduce
from operator import add
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from featlearn.errors import InvalidInputError
from featlearn.learners._fitting import check_level, like_inputs
from featlearn.precision import double_inside
from featlearn.training import snapshot_index

Graph = tuple[tuple[int, ...], ...]  # J_ℓ in ascending order, from the first trained layer on


class Weights(eqx.Module):
    """What is trained: W_{ℓ,j} in the order of the graph, and c where there is an intercept.

    The multipliers of the learning rate have the same form, with a number for each array.
    """

    layers: tuple[tuple[Float[Array, "..."], ...], ...]  # (m_ℓ, m_j) each
    constant: Float[Array, "..."] | None  # (k,)


class Shape(eqx.Module):
    """What is not trained: which layer reads which, and the heads α_ℓ a_ℓ."""

    graph: Graph = eqx.field(static=True)
    heads: tuple[Float[Array, "_ k"], ...]
    square_mean: Float[Array, "d"] | None  # E σ(x) of a fixed first layer
    precision: str = eqx.field(static=True, default="highest")

    @property
    def first(self) -> int:
        """The lowest layer that is trained: 1, or 2 above a fixed first layer."""
        return 1 if self.square_mean is None else 2

    @property
    def last(self) -> int:
        return self.first + len(self.graph) - 1

    def outputs(self, weights: Weights, x: Float[Array, "n d"]) -> list[Float[Array, "n _"]]:
        """F_0 = x, F_1, …, F_L."""
        found = [x]
        if self.square_mean is not None:
            found.append(x**2 - self.square_mean.astype(x.dtype))
        for sources, layer in zip(self.graph, weights.layers, strict=True):
            found.append(self.before(layer, sources, found) ** 2)
        return found

    def before(
        self, layer: tuple[Array, ...], sources: tuple[int, ...], outputs: list[Array]
    ) -> Float[Array, "n m"]:
        """Σ_j W_{ℓ,j} F_j, before the activation."""
        read = zip(layer, sources, strict=True)
        parts = [jnp.matmul(outputs[j], w.T, precision=self.precision) for w, j in read]
        return reduce(add, parts)

    def __call__(
        self, weights: Weights, x: Float[Array, "n d"], gates: Float[Array, "layers"] | None = None
    ) -> Float[Array, "n k"]:
        """Σ_ℓ α_ℓ a_ℓᵀ F_ℓ + c; `gates` switches layers off that are still locked."""
        outputs = self.outputs(weights, x)[self.first :]
        parts = [
            jnp.matmul(f, head.astype(f.dtype), precision=self.precision)
            for f, head in zip(outputs, self.heads, strict=True)
        ]
        if gates is not None:
            parts = [gates[at].astype(x.dtype) * part for at, part in enumerate(parts)]
        return reduce(add, parts if weights.constant is None else [*parts, weights.constant])


class DenseFit(eqx.Module):
    """A trained dense network. `record` says how the training went.

    `record`: "loss" at "loss_step" in units of the labels' mean square, "diverged" and
    "diverged_step", "rate" at the end, "unlocked" (the step at which each layer joined in).
    """

    shape: Shape
    weights: Weights
    scale: Float[Array, ""]
    record: dict[str, Any]
    times: Int[Array, "s"]
    trajectory: Weights | None
    flat: bool = eqx.field(static=True)  # labels had shape (n,)

    @property
    def levels(self) -> int:
        return self.shape.last

    @double_inside
    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
        out = self.scale * self.shape(self.weights, self._points(x))
        return out[:, 0] if self.flat else out

    @double_inside
    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n m"]:
        """The layer's outputs F_level(x), which the layers above read; level 0 is x itself."""
        check_level(level, self.levels)
        return self.shape.outputs(self.weights, self._points(x))[level]

    def outputs(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n m"]:
        """F_level(x): the features, by the name that measures of layers ask for."""
        return self.features(x, level)

    @double_inside
    def hidden(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n m"]:
        """Before the activation, scaled so that signed squares sum to what the layer adds.

        Of x and of a fixed first layer these are the outputs themselves.
        """
        check_level(level, self.levels)
        points = self._points(x)
        outputs = self.shape.outputs(self.weights, points)
        if level < self.shape.first:
            return outputs[level]
        at = level - self.shape.first
        before = self.shape.before(self.weights.layers[at], self.shape.graph[at], outputs)
        return (
            jnp.sqrt(self.scale * jnp.abs(self.shape.heads[at][:, 0])).astype(points.dtype) * before
        )

    def head_signs(self, level: int) -> Float[Array, "m"]:
        """The signs with which the layer's outputs are summed."""
        return jnp.sign(self.shape.heads[self._trained(level)][:, 0])

    @double_inside
    def part(self, x: Float[Array, "n d"], level: int) -> Float[Array, "n *k"]:
        """s α_ℓ a_ℓᵀ F_ℓ(x): what layer ℓ adds to the prediction."""
        at = self._trained(level)
        f = self.shape.outputs(self.weights, self._points(x))[level]
        out = self.scale * (f @ self.shape.heads[at].astype(f.dtype))
        return out[:, 0] if self.flat else out

    @double_inside
    def quadratic_form(self, level: int = 1, output: int = 0) -> Float[Array, "p p"]:
        """Q_ℓ = s α_ℓ Σ_i a_ℓi w_ℓi w_ℓiᵀ over all that the layer reads, in the graph's order.

        For the first layer its part of the prediction is xᵀQx.
        """
        at = self._trained(level)
        w = jnp.concatenate(self.weights.layers[at], axis=1).astype(jnp.float64)
        head = self.shape.heads[at][:, output].astype(jnp.float64)
        return self.scale.astype(jnp.float64) * jnp.matmul(w.T * head, w, precision="highest")

    def at(self, time: int) -> "DenseFit":
        """The model as it was at the last snapshot that is not later than step `time`.

        Layers that had not joined in by then have no part in it.
        """
        index = snapshot_index(self.times, time)
        stacked = self.each()
        weights, found = jax.tree.map(lambda a: a[index], (stacked.weights, stacked.shape.heads))
        return self._with(weights, found)

    def each(self) -> "DenseFit":
        """The model at every snapshot, weights and heads stacked on a leading axis: for `vmap`."""
        if self.trajectory is None:
            raise InvalidInputError("This fit kept no snapshots: name some in the learner.")
        begins = self.record["unlocked"]
        joined = (self.times[:, None] > begins) | (begins == 0)
        stacked = tuple(
            head * on[:, None, None].astype(head.dtype)
            for head, on in zip(self.shape.heads, joined.T, strict=True)
        )
        return self._with(self.trajectory, stacked)

    def _with(self, weights: Weights, found: tuple[Array, ...]) -> "DenseFit":
        changed: DenseFit = eqx.tree_at(
            lambda fit: (fit.weights, fit.shape.heads), self, (weights, found)
        )
        return changed

    def _points(self, x: Float[Array, "n d"]) -> Float[Array, "n d"]:
        read = zip(self.shape.graph, self.weights.layers, strict=True)
        inputs = [w for sources, ws in read for j, w in zip(sources, ws, strict=True) if j == 0]
        known = self.shape.square_mean if not inputs else inputs[0]
        assert known is not None
        return like_inputs(x, known.shape[-1], jax.tree.leaves(self.weights)[0].dtype)

    def _trained(self, level: int) -> int:
        if not self.shape.first <= level <= self.levels:
            raise InvalidInputError(
                f"Layers {self.shape.first} to {self.levels} of this network add to its "
                f"prediction, got level {level}."
            )
        return level - self.shape.first


def random_weights(
    key: Key[Array, ""],
    graph: Graph,
    widths: tuple[int, ...],
    dim: int,
    *,
    first: int,
    scale: Any,
    constant: Float[Array, "k"] | None,
    dtype: Any,
) -> Weights:
    """W_{ℓ,j} ~ N(0, scale²/dim_j), drawn in float32 whatever the type of the training."""
    width_of = dict(enumerate((dim, *((dim,) if first == 2 else ()), *widths)))

    def one(level: int, j: int) -> Array:
        at = jax.random.fold_in(jax.random.fold_in(key, level), j)
        drawn = jax.random.normal(at, (width_of[level], width_of[j]), jnp.float32)
        return drawn.astype(dtype) * jnp.asarray(scale / np.sqrt(width_of[j])).astype(dtype)

    layers = tuple(tuple(one(level, j) for j in js) for level, js in enumerate(graph, first))
    return Weights(layers, constant)


def heads(
    key: Key[Array, ""], widths: tuple[int, ...], outputs: int, gaps: Any, *, plus: bool
) -> tuple[Float[Array, "_ k"], ...]:
    """α_ℓ a_ℓ with a_ℓ = ±1/√m_ℓ: all plus, or signs that are half and half in each output."""
    found = []
    for at, m in enumerate(widths):
        row = jnp.where(jnp.arange(m) % 2 == 0, 1.0, -1.0).astype(jnp.float32)
        keys = jax.random.split(jax.random.fold_in(key, at), outputs)
        columns = [row] + [jax.random.permutation(k, row) for k in keys[1:]]
        signs = jnp.ones((m, outputs), jnp.float32) if plus else jnp.stack(columns, axis=1)
        found.append(signs * jnp.asarray(gaps[at] / np.sqrt(m)).astype(jnp.float32))
    return tuple(found)
