"""Hierarchical learning: an over-parameterised dense network with quadratic activation.

    F_ℓ = σ(Σ_{j ∈ J_ℓ} W_{ℓ,j} F_j),  F_0 = x,  σ(z) = z²;     f = s (c + Σ_ℓ α_ℓ a_ℓᵀ F_ℓ)
    W_{ℓ,j} ~ N(0, start²/dim_j);  minimise the mean of (f − y)², or the cross-entropy

    joint      all layers from the start, all at once
    layerwise  layer 1; then it is frozen and layer 2 is trained; then layer 3, …
    staged     layer 1; then layer 2 joins in and both are trained; then layer 3, …

Heads are fixed and of one sign, as in the documents, and there is neither bias nor intercept. That
is what makes the layers of the target identifiable: with signs or constants to its avail a higher
layer takes back what a lower one learned wrongly, and nothing has to be corrected. Where the
target has signs of its own, `signs="both"` gives each to half of the neurons.

Labels of such a target are polynomials of degree 2^L of x, with heavy tails: the norm of the
gradient is clipped at `clip`, and all else is in units of the labels' root-mean-square s.
"""

import itertools
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from featlearn.errors import InvalidInputError
from featlearn.learners._dense_network import (
    DenseFit,
    Graph,
    Shape,
    Weights,
    heads,
    random_weights,
)
from featlearn.learners._fitting import fit_checked
from featlearn.precision import double_precision
from featlearn.samples import Sample
from featlearn.training import (
    Epochs,
    Fresh,
    Optimiser,
    Source,
    Trained,
    Training,
    check_batch,
    cross_entropy,
    mean_over,
    square,
    train_in_segments,
)

Mode = Literal["joint", "layerwise", "staged"]


class Stages(eqx.Module):
    """When each layer joins in and when it is frozen, as fractions of the steps.

    The modes as numbers, so that one fleet can have all of them. A layer that never rests has
    2.0, or any other number above 1.
    """

    joins: tuple[Any, ...] = eqx.field(converter=tuple)
    rests: tuple[Any, ...] = eqx.field(converter=tuple)


DROPS = ((0.5, 0.3), (0.7, 0.3), (0.85, 0.3), (0.95, 0.3))


class Dense(eqx.Module):
    """A quadratic dense network, trained jointly, layer by layer, or in stages.

    widths       m_ℓ of the trained layers: ℓ = 1 … L, or 2 … L above a fixed first layer
    mode         "joint", "layerwise" or "staged", or `Stages` with times for every layer
    steps        how many, of all stages together
    batch        fresh points a step, or rows of the sample; None takes the whole sample
    graph        {ℓ: the layers that ℓ reads}; all earlier ones by default
    first_layer  "trainable", or "fixed": F_1 = σ(x) − E σ(x) as in the paper
    gaps         α_ℓ; 1 by default, since the weights can grow
    signs        "plus", or "both": half of the heads of a layer are −1
    optimiser    Adam or another; its drops count from the start of each stage
    start        scale of the random start
    unlock       the fractions of the steps at which layers after the first join in; equal stages
                 by default
    intercept    train a constant c
    loss         "square", or "cross-entropy" for labels in {0, 1}: predictions are log-odds then
    snapshots    steps at which the network is kept
    ceiling      a loss above it, in units of the labels' mean square, counts as divergence
    dtype        "float32" or "float64"
    precision    of matrix products on a GPU: "highest" is float32, "default" may be less
    """

    widths: tuple[int, ...] = eqx.field(static=True, converter=tuple)
    mode: Mode | Stages = "joint"
    steps: int = eqx.field(static=True, default=4000, kw_only=True)
    batch: int | None = eqx.field(static=True, default=1000, kw_only=True)
    graph: Any = eqx.field(static=True, default=None, kw_only=True, converter=lambda g: _frozen(g))
    first_layer: Literal["trainable", "fixed"] = eqx.field(
        static=True, default="trainable", kw_only=True
    )
    gaps: tuple[Any, ...] | None = eqx.field(default=None, kw_only=True)
    signs: Literal["plus", "both"] = eqx.field(static=True, default="plus", kw_only=True)
    optimiser: Optimiser = eqx.field(
        default=Optimiser("adam", rate=1e-2, clip=1.0, drops=DROPS), kw_only=True
    )
    start: Float[Array, ""] | float = eqx.field(default=0.3, kw_only=True)
    unlock: tuple[float, ...] | None = eqx.field(static=True, default=None, kw_only=True)
    intercept: bool = eqx.field(static=True, default=False, kw_only=True)
    loss: Literal["square", "cross-entropy"] = eqx.field(
        static=True, default="square", kw_only=True
    )
    snapshots: tuple[int, ...] = eqx.field(static=True, default=(), kw_only=True)
    ceiling: Float[Array, ""] | float = eqx.field(default=1e6, kw_only=True)
    dtype: str = eqx.field(static=True, default="float32", kw_only=True)
    precision: str = eqx.field(static=True, default="highest", kw_only=True)

    def __check_init__(self) -> None:
        if not self.widths or any(not _whole(m) or m < 1 for m in self.widths):
            raise InvalidInputError(
                f"widths must be numbers of neurons, one for each trained layer, got {self.widths}."
            )
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known and not isinstance(getattr(self, name), Stages):
                raise InvalidInputError(
                    f"{name} must be one of {', '.join(known)}, got {getattr(self, name)!r}."
                )
        if not _whole(self.steps) or self.steps < len(self.widths):
            raise InvalidInputError(
                f"steps must be at least one for each of {len(self.widths)} layers, "
                f"got {self.steps}."
            )
        if self.batch is not None and (not _whole(self.batch) or self.batch < 1):
            raise InvalidInputError(f"batch must be at least 1, or None, got {self.batch}.")
        self._check_gaps()
        _ = self.connections  # checks the graph
        if len(self.stages.joins) != len(self.widths) or len(self.stages.rests) != len(self.widths):
            raise InvalidInputError(
                f"Stages must name {len(self.widths)} times to join in and to rest, one for each "
                f"layer, got {self.stages.joins} and {self.stages.rests}."
            )

    @property
    def first(self) -> int:
        return 1 if self.first_layer == "trainable" else 2

    @property
    def connections(self) -> Graph:
        """J_ℓ of the trained layers."""
        last = self.first + len(self.widths) - 1
        if self.graph is None:
            return tuple(tuple(range(level)) for level in range(self.first, last + 1))
        return _checked_graph(dict(self.graph), self.first, last)

    @property
    def stages(self) -> Stages:
        """When each layer joins in, and rests."""
        if isinstance(self.mode, Stages):
            return self.mode
        count = len(self.widths)
        never = (2.0,) * count
        if self.mode == "joint":
            return Stages((0.0,) * count, never)
        unlock = self.unlock or tuple(at / count for at in range(1, count))
        rising = list(unlock) == sorted(unlock) and all(0 < f < 1 for f in unlock)
        if len(unlock) != count - 1 or not rising:
            raise InvalidInputError(
                f"unlock must be {count - 1} rising fractions between 0 and 1, one for each layer "
                f"after the first, got {unlock}."
            )
        return Stages((0.0, *unlock), (*unlock, 2.0) if self.mode == "layerwise" else never)

    def fit(self, sample: Sample, *, key: Key[Array, ""]) -> DenseFit:
        """Train on a fixed sample, all of its rows."""
        self._check_sample(sample)
        fitted: DenseFit = fit_checked(self, sample, key)
        return fitted

    def fit_arrays(self, sample: Sample, key: Key[Array, ""]) -> DenseFit:
        """`fit` without checks: pure, and so fit for `jit` and `vmap`."""
        return self._fit(Epochs(sample, self.batch), sample, key)

    def fit_stream(
        self, task: Any, *, key: Key[Array, ""], checkpoint: str | Path | None = None
    ) -> DenseFit:
        """Train on fresh points of a task, `batch` of them at every step.

        With a `checkpoint` the training goes in segments, from snapshot to snapshot: interrupted
        and called again it goes on from the last one, with the same numbers.
        """
        fitted: DenseFit
        if checkpoint is None:
            fitted = _fit_stream(self, task, key)
            return fitted
        training, weights, pilot = self.prepared(task, key)
        trained = train_in_segments(
            training, weights, jax.random.fold_in(key, 1), checkpoint=checkpoint
        )
        return self._fitted(training, trained, pilot)

    def fit_stream_arrays(self, task: Any, key: Key[Array, ""]) -> DenseFit:
        """`fit_stream`, pure."""
        source = Fresh(task, self.batch)
        return self._fit(source, source(jax.random.fold_in(key, 2), jnp.asarray(0)), key)

    def prepared(self, task: Any, key: Key[Array, ""]) -> tuple[Training, Weights, Sample]:
        """The training on a task, the weights it starts from, and the points that gave the scale.

        For those who run it themselves: `training(weights, key)`, or `fleet.train_many`.
        """
        source = Fresh(task, self.batch)
        pilot = source(jax.random.fold_in(key, 2), jnp.asarray(0))
        return (*self._prepared(source, pilot, key), pilot)

    def _prepared(
        self, source: Source, pilot: Sample, key: Key[Array, ""]
    ) -> tuple[Training, Weights]:
        start_key = jax.random.fold_in(key, 0)
        training = Training(
            _Loss(self._shape(pilot, start_key), self._scale(pilot), self.loss),
            source if self.mode == "joint" else _Timed(source, self._joins),
            replace(self.optimiser, drops=()),  # see `_parts`
            self.steps,
            parts=self._parts,
            snapshots=self.snapshots,
            ceiling=self.ceiling,
        )
        return training, self._weights(pilot, start_key)

    def _fit(self, source: Source, pilot: Sample, key: Key[Array, ""]) -> DenseFit:
        training, weights = self._prepared(source, pilot, key)
        return self._fitted(training, training(weights, jax.random.fold_in(key, 1)), pilot)

    def _fitted(self, training: Training, trained: Trained, pilot: Sample) -> DenseFit:
        record = trained.record | {"unlocked": self._joins}
        stopped = record["diverged_step"]
        last = jnp.where(stopped < 0, self.steps - 1, stopped)
        record["rate"] = record["rate"] * self._factor(last).astype(record["rate"].dtype)
        loss = training.loss
        assert isinstance(loss, _Loss)
        return DenseFit(
            shape=loss.shape,
            weights=trained.params,
            scale=loss.scale,
            record=record,
            times=trained.times,
            trajectory=trained.trajectory,
            flat=pilot.y.ndim == 1,
        )

    def _shape(self, pilot: Sample, key: Key[Array, ""]) -> Shape:
        outputs = _columns(pilot.y).shape[1]
        gaps = (1.0,) * len(self.widths) if self.gaps is None else self.gaps
        squares = None
        if self.first_layer == "fixed":
            squares = _mean(pilot.x**2, pilot).astype(self.dtype)
        a = heads(key, self.widths, outputs, gaps, plus=self.signs == "plus")
        return Shape(self.connections, a, squares, self.precision)

    def _weights(self, pilot: Sample, key: Key[Array, ""]) -> Weights:
        outputs = _columns(pilot.y).shape[1]
        return random_weights(
            key,
            self.connections,
            self.widths,
            pilot.dim,
            first=self.first,
            scale=self.start,
            constant=jnp.zeros(outputs, self.dtype) if self.intercept else None,
            dtype=self.dtype,
        )

    def _scale(self, pilot: Sample) -> Float[Array, ""]:
        """The root-mean-square of the labels; log-odds have a scale of their own."""
        if self.loss == "cross-entropy":
            return jnp.ones((), self.dtype)
        return jnp.sqrt(jnp.mean(_mean(_columns(pilot.y) ** 2, pilot))).astype(self.dtype)

    @property
    def _joins(self) -> Int[Array, "layers"]:
        """The steps at which the layers join in."""
        fractions = jnp.stack([jnp.asarray(f, jnp.float32) for f in self.stages.joins])
        return jnp.round(fractions * self.steps).astype(jnp.int32)

    def _factor(self, step: Int[Array, ""]) -> Float[Array, ""]:
        """The drops of the learning rate, counted from the start of the stage."""
        drops = replace(self.optimiser, rate=1.0)
        begins = [*self._joins, jnp.asarray(self.steps, jnp.int32)]
        factor = jnp.ones(())
        for begin, end in itertools.pairwise(begins):
            factor = jnp.where(step >= begin, drops.rate_at(step - begin, end - begin), factor)
        return factor

    def _parts(self, step: Int[Array, ""]) -> Weights:
        """A multiplier of the learning rate for each layer."""
        factor, rates = self._factor(step), []
        for begin, rest in zip(self._joins, self.stages.rests, strict=True):
            end = jnp.round(jnp.asarray(rest, jnp.float32) * self.steps)
            rates.append(jnp.where((step >= begin) & (step < end), factor, 0.0))
        layers = tuple((r,) * len(js) for r, js in zip(rates, self.connections, strict=True))
        return Weights(layers, factor if self.intercept else None)

    def _check_gaps(self) -> None:
        if self.gaps is None:
            return
        numbers = [g for g in self.gaps if isinstance(g, int | float)]
        if len(self.gaps) != len(self.widths) or any(not 0 < g < np.inf for g in numbers):
            raise InvalidInputError(
                f"gaps must be positive, one α for each of {len(self.widths)} layers, "
                f"got {self.gaps}."
            )

    def _check_sample(self, sample: Sample) -> None:
        if self.batch is not None:
            check_batch(self.batch, len(np.asarray(sample.y)))
        labels = np.asarray(sample.y)
        if self.loss == "cross-entropy" and not np.isin(labels, (0, 1)).all():
            raise InvalidInputError(
                f"Cross-entropy needs labels 0 and 1, got {labels.ravel()[:3].tolist()} …: "
                'map the classes to 0 and 1, or take loss="square".'
            )
        if self.signs == "plus" and labels.ndim == 2 and labels.shape[1] > 1:
            raise InvalidInputError(
                f"With heads of one sign every output would be the same, got {labels.shape[1]} "
                'outputs: take signs="both".'
            )


_CHOICES: Mapping[str, tuple[str, ...]] = {
    "mode": ("joint", "layerwise", "staged"),
    "first_layer": ("trainable", "fixed"),
    "signs": ("plus", "both"),
    "loss": ("square", "cross-entropy"),
    "dtype": ("float32", "float64"),
    "precision": ("highest", "high", "default"),
}


class _Timed(eqx.Module):
    """Batches of a source, with which layers have joined in."""

    source: Source
    joins: Int[Array, "layers"]

    @property
    def ahead(self) -> int:
        ahead: int = getattr(self.source, "ahead", 1)
        return ahead

    def __call__(self, key: Key[Array, ""], step: Int[Array, ""]) -> "_Gated":
        return _Gated(self.source(key, step), (step >= self.joins).astype(jnp.float32))


class _Gated(NamedTuple):
    batch: Sample
    gates: Float[Array, "layers"]


class _Loss(eqx.Module):
    """The loss of a batch, in units of the labels' mean square."""

    shape: Shape
    scale: Float[Array, ""]
    kind: str = eqx.field(static=True)

    def __call__(self, weights: Weights, given: Sample | _Gated) -> Float[Array, ""]:
        batch, gates = given if isinstance(given, _Gated) else (given, None)
        dtype = jax.tree.leaves(weights)[0].dtype
        found = self.shape(weights, batch.x.astype(dtype), gates)
        y = _columns(batch.y).astype(dtype)
        if self.kind == "cross-entropy":
            return cross_entropy(found, Sample(batch.x, y, batch.count))
        return square(found, Sample(batch.x, y / self.scale, batch.count))


@double_precision
@eqx.filter_jit
def _fit_stream(learner: Dense, task: Any, key: Key[Array, ""]) -> DenseFit:
    return learner.fit_stream_arrays(task, key)


def _mean(values: Float[Array, "n k"], sample: Sample) -> Float[Array, "k"]:
    """The mean over the real rows, for each column."""
    return jax.vmap(lambda column: mean_over(column, sample), in_axes=1)(values)


def _columns(y: Float[Array, "n *k"]) -> Float[Array, "n k"]:
    return y[:, None] if y.ndim == 1 else y


def _frozen(graph: Any) -> Any:
    """A graph that can be hashed."""
    if graph is None or not isinstance(graph, Mapping):
        return graph
    return tuple(sorted((level, tuple(sources)) for level, sources in graph.items()))


def _checked_graph(graph: Mapping[int, tuple[int, ...]], first: int, last: int) -> Graph:
    wanted = list(range(first, last + 1))
    if sorted(graph) != wanted:
        raise InvalidInputError(
            f"graph must name the layers that each of the layers {wanted} reads, as in "
            f"{{{last}: {list(range(last))}}}; got {sorted(graph)}."
        )
    for level, sources in graph.items():
        if not sources or any(not _whole(j) or not 0 <= j < level for j in sources):
            raise InvalidInputError(
                f"graph lets layer {level} read {list(sources)}: it must read one or more of the "
                f"layers 0 (x) to {level - 1}."
            )
    return tuple(tuple(sorted({int(j) for j in graph[level]})) for level in wanted)


def _whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
