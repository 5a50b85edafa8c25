"""Networks of `_layered` trained by gradient descent: what is trained, how, and what comes of it.

    hidden    W, V; A stays random          all       A too
    last      A alone, on random features   tangent   f(θ_0, x) + ⟨∇f(θ_0, x), δ⟩ in δ, θ = (W, V)

Loss ½‖f − y‖² in mean over a batch. The schedule of the original: momentum 0.9, batches of 50, 800
epochs, the learning rate a tenth from half of them on.
"""

from dataclasses import replace
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from featlearn.errors import InvalidInputError
from featlearn.learners._fitting import check_level, like_inputs
from featlearn.learners._layered import Chain, ResidualNetwork, Weights, check_whole
from featlearn.learners._noise import StructuredNoise
from featlearn.learners._split import Rows, split_rows
from featlearn.precision import double_inside
from featlearn.samples import Sample
from featlearn.training import Epochs, Optimiser, State, Training, half_square, snapshot_index

Train = Literal["hidden", "all", "last", "tangent"]
Network = ResidualNetwork | Chain


def original(rate: Any = 0.1, decay: Any = 0.0) -> Optimiser:
    """Momentum 0.9, and a tenth of the learning rate in the second half."""
    return Optimiser("momentum", rate=rate, decay=decay, momentum=0.9, drops=((0.5, 0.1),))


class Schedule(eqx.Module):
    """How a network is trained.

    epochs      passes through the training rows
    noise       added to the gradient
    second      weight decay λ_v of V, where it is not that of the optimiser
    snapshots   epochs after which the weights are kept; 0 is the start
    """

    train: Train = eqx.field(static=True)
    optimiser: Optimiser
    epochs: int = eqx.field(static=True)
    batch: int = eqx.field(static=True)
    noise: StructuredNoise | None
    second: Any
    snapshots: tuple[int, ...] = eqx.field(static=True)

    def __check_init__(self) -> None:
        if self.train not in ("hidden", "all", "last", "tangent"):
            raise InvalidInputError(
                f"train must be 'hidden', 'all', 'last' or 'tangent', got {self.train!r}."
            )
        check_whole("epochs", self.epochs)
        check_whole("batch", self.batch)
        if self.snapshots and not 0 <= min(self.snapshots) <= max(self.snapshots) <= self.epochs:
            raise InvalidInputError(
                f"snapshots must be epochs between 0 and {self.epochs}, got {self.snapshots}."
            )
        if self.noise is not None and self.train in ("last", "tangent"):
            raise InvalidInputError(
                f"Structured noise is for hidden weights, and train={self.train!r} moves none "
                "from its start. Leave noise out, or train 'hidden' or 'all'."
            )


def fit_network(
    network: Network, schedule: Schedule, sample: Sample, key: Key[Array, ""]
) -> "TrainedFit":
    """Draw, train, and measure on the validation rows: pure, for `jit` and `vmap`."""
    split = split_rows(sample)
    start_key, train_key = jax.random.split(key)
    start = network.draw(start_key, sample.dim, split.train.y.shape[1])
    fixed, moving = _divided(start, schedule.train)
    fitted = TrainedFit(
        network=network,
        weights=start | fixed,
        delta=moving if schedule.train == "tangent" else None,
        epochs=None,
        trajectory=None,
        record={},
        flat=sample.y.ndim == 1,
    )
    done, record = _descend(fitted, moving, fixed, schedule, split.train, train_key)
    record |= {"validation": _error(done, split.validate), "training": _error(done, split.train)}
    return replace(done, record=record)


def _descend(
    fitted: "TrainedFit",
    moving: Weights,
    fixed: Weights,
    schedule: Schedule,
    rows: Rows,
    key: Key[Array, ""],
) -> tuple["TrainedFit", dict[str, Array]]:
    """The trained network with its snapshots, and the record of the training.

    A sample that is padded takes as many steps, and drops its rate where, as it would alone: the
    epochs are counted in its own rows.
    """
    batch = min(schedule.batch, rows.x.shape[0])
    most = max(rows.x.shape[0] // batch, 1)  # batches of an epoch, for the longest sample
    each = jnp.maximum(rows.number.astype(jnp.int32) // batch, 1)
    count = rows.number.astype(jnp.int32)
    push = _Push(fitted.network, fixed, schedule)
    training = Training(
        _Loss(fitted),
        Epochs(Sample(rows.x, rows.y.astype(jnp.float32), count), batch),
        _within(schedule.optimiser, each / most, most * schedule.epochs),
        most * schedule.epochs,
        noise=push if push.needed else None,
    )
    stops = sorted({*schedule.snapshots, schedule.epochs} - {0})
    ends = each * jnp.asarray([0, *stops], jnp.int32)

    def interval(state: State, between: tuple[Array, Array]) -> tuple[State, Any]:
        state = training.advance(state, *between)
        return state, state.params if schedule.snapshots else None

    last, seen = jax.lax.scan(interval, training.start(moving, key), (ends[:-1], ends[1:]))
    record = training.finish(last).record | {"steps_per_epoch": each}
    done = fitted.moved(last.params)
    if not schedule.snapshots:  # arrays without entries would not stack
        return done, record
    wanted = np.isin([0, *stops], schedule.snapshots)
    kept = jax.tree.map(lambda a, b: jnp.concatenate([a[None], b])[wanted], moving, seen)
    epochs = jnp.asarray(sorted({*schedule.snapshots}), jnp.int32)
    return replace(done, epochs=epochs, trajectory=kept), record


def _within(optimiser: Optimiser, share: Array, steps: int) -> Optimiser:
    """The same optimiser for a training that ends at `share` of its steps.

    A hundredth of a step earlier, so that rounding delays no drop by a step.
    """
    early = 0.01 / steps
    drops = tuple((jnp.asarray(at) * share - early, factor) for at, factor in optimiser.drops)
    return replace(optimiser, drops=drops)


class TrainedFit(eqx.Module):
    """A trained network; `record` says how it went, `at(step)` is the network at a snapshot."""

    network: Network
    weights: Weights
    delta: Weights | None  # of a tangent model: how far its parameters have moved
    epochs: Int[Array, "s"] | None  # of the snapshots
    trajectory: Any
    record: dict[str, Any]
    flat: bool = eqx.field(static=True)  # labels had shape (n,)

    @double_inside
    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
        out = self.raw(self._points(x), "highest")
        return out[:, 0] if self.flat else out

    @double_inside
    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n m"]:
        """Hidden layers from the first on; those of the start, for a tangent model."""
        check_level(level, self.network.levels)
        x = self._points(x)
        return self.network.feature(self.weights, x, level, "highest") if level else x

    @double_inside
    def first_output(self, x: Float[Array, "n d"]) -> Float[Array, "n k"]:
        """g(x) = A σ(W(x, 1)) of a residual network: what its first layer makes of x alone."""
        if not isinstance(self.network, ResidualNetwork):
            raise InvalidInputError("Only a residual network has an output of its first layer.")
        return self.network.first_output(self.weights, self._points(x), "highest")

    def at(self, epoch: int) -> "TrainedFit":
        """The network at the last snapshot that is not later than `epoch`."""
        i = snapshot_index(() if self.epochs is None else self.epochs, epoch)
        return self.moved(jax.tree.map(lambda a: a[i], self.trajectory))

    def moved(self, moving: Weights) -> "TrainedFit":
        """The same network with other trained parameters."""
        if self.delta is not None:
            return replace(self, delta=moving)
        return replace(self, weights=self.weights | moving)

    def raw(self, x: Float[Array, "n d"], precision: Any = None) -> Float[Array, "n k"]:
        """Outputs in columns, for x in float32."""
        if self.delta is None:
            return self.network(self.weights, x, precision)
        start = {name: self.weights[name] for name in self.delta}

        def at(moving: Weights) -> Array:
            return self.network(self.weights | moving, x, precision)

        out, along = jax.jvp(at, (start,), (self.delta,))
        return out + along

    def _points(self, x: Any) -> Float[Array, "n d"]:
        return like_inputs(x, self.weights["W"].shape[1] - 1, self.weights["W"].dtype)


class _Loss(eqx.Module):
    """½‖f − y‖² of a batch, as a function of what is trained."""

    fitted: TrainedFit

    def __call__(self, moving: Weights, batch: Sample) -> Array:
        return half_square(self.fitted.moved(moving).raw(batch.x), batch)


class _Push(eqx.Module):
    """What is added to the gradient: noise, and what V's own weight decay has more than W's."""

    network: Network
    fixed: Weights
    schedule: Schedule

    @property
    def needed(self) -> bool:
        return self.schedule.noise is not None or self.schedule.second is not None

    def __call__(self, key: Key[Array, ""], moving: Weights, batch: Sample) -> Weights:
        pushed = {name: jnp.zeros_like(value) for name, value in moving.items()}
        how = self.schedule
        if how.noise is not None:
            hidden = self.network.feature(self.fixed | moving, batch.x, 1)
            pushed = how.noise(key, hidden, batch.x, moving)
        if how.second is not None and "V" in moving:
            more = jnp.asarray(how.second) - jnp.asarray(how.optimiser.decay)
            pushed["V"] = pushed["V"] + more.astype(jnp.float32) * moving["V"]
        return pushed


def _divided(start: Weights, train: Train) -> tuple[Weights, Weights]:
    """What stays and what moves; the δ of a tangent model starts at 0."""
    if train == "tangent":
        return start, {n: jnp.zeros_like(value) for n, value in start.items() if n != "A"}
    if train == "last":
        hidden = {name: value for name, value in start.items() if name != "A"}
        return hidden | {"inner": start["A"]}, {"A": start["A"]}
    kept = () if train == "all" else ("A",)
    return {name: start[name] for name in kept}, {
        name: value for name, value in start.items() if name not in kept
    }


def _error(fitted: TrainedFit, rows: Rows) -> Float[Array, ""]:
    """Mean square over the rows that exist, summed over outputs."""
    gap = fitted.raw(rows.x, "highest") - rows.y.astype(jnp.float32)
    return jnp.sum(rows.weight[:, None] * gap * gap) / rows.number
