"""One training by gradient descent, as a pure function that compiles to one program.

    θ_0 = params;   B_t = source(key, t);   θ_{t+1} = optimiser(θ_t, ∇L(θ_t; B_t) + noise)

for t = 0 … steps − 1. Batches are drawn `ahead` at a time, one long draw for many short ones, and a
`scan` takes the steps of such a block. From snapshot to snapshot there is an outer `scan` over
blocks: t enters as a number, so one program serves every interval.

A training diverges when its loss is not finite or above `ceiling`, or its parameters are not
finite. It then keeps the parameters from before that block, and the record says at which step
and learning rate. In a fleet the others do not notice.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from featlearn.errors import InvalidInputError
from featlearn.training.batches import Source
from featlearn.training.optimiser import Moments, Optimiser

NEVER = np.int32(2**31 - 1)


class State(NamedTuple):
    """All that a training is between two blocks: it goes on from here with the same numbers."""

    params: Any
    moments: Moments
    key: Key[Array, ""]
    stopped: Int[Array, ""]  # the step at which it diverged, or NEVER
    loss_sum: Float[Array, "p"]
    loss_count: Float[Array, "p"]


class _Given(NamedTuple):
    """A step's batch, number, whether it is taken, and the learning rate of each array."""

    batch: Any
    step: Int[Array, ""]
    taken: Bool[Array, ""]
    rates: Any


class Trained(eqx.Module):
    """What a training gives. `trajectory` has the parameters at `times`, on a leading axis."""

    params: Any
    times: Int[Array, "s"]
    trajectory: Any
    record: dict[str, Array]

    def at(self, time: int) -> Any:
        """The parameters at the last snapshot that is not later than `time`."""
        return jax.tree.map(lambda a: a[snapshot_index(self.times, time)], self.trajectory)


class Training(eqx.Module):
    """What is minimised, on what, and how.

    loss        (params, batch) → a number; every leaf of params is an array of floats
    source      (key, step) → a batch: `Fresh` or `Epochs`
    steps       how many
    parts       multipliers of the learning rate for parts of the parameters: a prefix of their
                tree, or a function of the step that gives one; 0 freezes a part
    noise       (key, params, batch) → what is added to the gradient
    snapshots   steps at which the parameters are kept; 0 is the start
    ceiling     a loss above it counts as divergence
    points      the loss curve has at most so many, each the mean over its steps
    ahead       how many batches are drawn at once; by default what suits the source
    unroll      how many steps the compiler writes out
    """

    loss: Callable[[Any, Any], Array]
    source: Source
    optimiser: Optimiser
    steps: int = eqx.field(static=True)
    parts: Any = eqx.field(default=1.0, kw_only=True)
    noise: Callable[[Key[Array, ""], Any, Any], Any] | None = eqx.field(default=None, kw_only=True)
    snapshots: tuple[int, ...] = eqx.field(static=True, default=(), kw_only=True)
    ceiling: Float[Array, ""] | float = eqx.field(default=1e12, kw_only=True)
    points: int = eqx.field(static=True, default=200, kw_only=True)
    ahead: int | None = eqx.field(static=True, default=None, kw_only=True)
    unroll: int = eqx.field(static=True, default=1, kw_only=True)

    def __check_init__(self) -> None:
        for name in ("steps", "points", "unroll"):
            _check_whole(name, getattr(self, name), 1)
        if self.ahead is not None:
            _check_whole("ahead", self.ahead, 1)
        if self.snapshots and not 0 <= min(self.snapshots) <= max(self.snapshots) <= self.steps:
            raise InvalidInputError(
                f"snapshots must lie between 0 and the {self.steps} steps, got {self.snapshots}."
            )

    @property
    def stops(self) -> tuple[int, ...]:
        """The steps between which the training runs without a break; the last is its end."""
        return tuple(sorted({*self.snapshots, self.steps} - {0}))

    def start(self, params: Any, key: Key[Array, ""]) -> State:
        """Before the first step."""
        check_params(params)
        empty = jnp.zeros(-(-self.steps // self._every), _dtype(params))
        return State(params, self.optimiser.start(params), key, jnp.asarray(NEVER), empty, empty)

    def advance(self, state: State, begin: Any, end: Any) -> State:
        """The steps begin … end − 1."""
        begin, end = (jnp.asarray(t, jnp.int32) for t in (begin, end))
        ahead = min(self.ahead or getattr(self.source, "ahead", 1), self.steps)

        def block(i: Int[Array, ""], state: State) -> State:
            return self._block(state, begin + i * jnp.int32(ahead), end, ahead)

        blocks = (end - begin + jnp.int32(ahead - 1)) // jnp.int32(ahead)
        moved: State = jax.lax.fori_loop(jnp.int32(0), blocks, block, state)
        return moved

    def finish(self, state: State, trajectory: Any = None) -> Trained:
        """The result of a state at the end. `trajectory` has one snapshot for each of them."""
        diverged = state.stopped != NEVER
        mean = state.loss_sum / state.loss_count  # not a number where nothing was measured
        first = jnp.arange(mean.size, dtype=jnp.int32) * self._every
        last = jnp.where(diverged, state.stopped, self.steps - 1)
        rate = jnp.asarray(self.optimiser.rate_at(last, self.steps), mean.dtype)
        record = {
            "loss": mean,
            "loss_step": first,
            "diverged": diverged,
            "diverged_step": jnp.where(diverged, state.stopped, -1),
            "rate": rate,
        }
        times = jnp.asarray(sorted(set(self.snapshots)), jnp.int32)
        return Trained(state.params, times, trajectory, record)

    def __call__(self, params: Any, key: Key[Array, ""]) -> Trained:
        """The whole training: pure, for `jit` and `vmap`."""
        state, stops = self.start(params, key), self.stops
        if not self.snapshots:
            return self.finish(self.advance(state, 0, self.steps))

        def interval(state: State, ends: tuple[Any, Any]) -> tuple[State, Any]:
            state = self.advance(state, *ends)
            return state, state.params

        ends = jnp.asarray((0, *stops[:-1]), jnp.int32), jnp.asarray(stops, jnp.int32)
        first, (state, seen) = state.params, jax.lax.scan(interval, state, ends)
        return self.finish(state, self.trajectory(first, seen))

    def trajectory(self, first: Any, seen: Any) -> Any:
        """Snapshots from the start and from the parameters at every stop."""
        wanted = np.isin((0, *self.stops), self.snapshots)
        return jax.tree.map(lambda a, b: jnp.concatenate([a[None], b])[wanted], first, seen)

    @property
    def _every(self) -> int:
        """Steps in one point of the loss curve."""
        return -(-self.steps // self.points)

    def _block(self, old: State, begin: Int[Array, ""], end: Int[Array, ""], ahead: int) -> State:
        """`ahead` steps, those from `end` on left out; undone where they diverge."""
        steps = begin + jnp.arange(ahead, dtype=jnp.int32)

        def ready(step: Int[Array, ""]) -> _Given:
            """What a step needs beside the parameters; computed for the whole block at once."""
            parts = self.parts(step) if callable(self.parts) else self.parts
            rate = self.optimiser.rate_at(step, self.steps)
            each = jax.tree.map(lambda part: rate * part, multipliers(parts, old.params))
            return _Given(self._draw(old.key, step), step, step < end, each)

        def one(carry: tuple[Any, Moments], given: _Given) -> tuple[Any, Array]:
            return self._step(*carry, old.key, given)

        carry = old.params, old.moments
        if ahead == 1:
            carry, losses = one(carry, ready(begin))
            losses = losses[None]
        else:
            given = jax.vmap(ready)(steps)
            carry, losses = jax.lax.scan(one, carry, given, unroll=self.unroll)
        good = jnp.isfinite(losses) & (losses <= jnp.asarray(self.ceiling).astype(losses.dtype))
        taken = steps < end
        bad = jnp.min(jnp.where(taken & ~good, steps, NEVER))
        bad = jnp.where(_finite(carry[0]), bad, jnp.minimum(bad, end))
        stopped = jnp.minimum(old.stopped, bad)
        params, moments = _where(stopped == NEVER, carry, (old.params, old.moments))
        seen = (taken & (steps < stopped)).astype(losses.dtype)
        return State(params, moments, old.key, stopped, *self._curve(old, steps, losses, seen))

    def _step(
        self, params: Any, moments: Moments, key: Key[Array, ""], given: _Given
    ) -> tuple[Any, Array]:
        loss, gradient = jax.value_and_grad(self.loss)(params, given.batch)
        if self.noise is not None:
            noise = self.noise(_stream(key, 1, given.step), params, given.batch)
            gradient = jax.tree.map(lambda g, xi: g + xi.astype(g.dtype), gradient, noise)
        new = self.optimiser.step(params, gradient, moments, given.rates)
        return _where(given.taken, new, (params, moments)), loss.astype(_dtype(params))

    def _draw(self, key: Key[Array, ""], step: Int[Array, ""]) -> Any:
        return self.source(jax.random.fold_in(key, 0), step)

    def _curve(self, old: State, steps: Array, losses: Array, seen: Array) -> tuple[Array, Array]:
        place = jnp.minimum(steps // self._every, old.loss_sum.size - 1)
        total = old.loss_sum.at[place].add(jnp.where(seen > 0, losses, 0))
        return total, old.loss_count.at[place].add(seen)


def train(
    loss: Callable[[Any, Any], Array],
    params: Any,
    source: Source,
    optimiser: Optimiser,
    *,
    steps: int,
    key: Key[Array, ""],
    **options: Any,
) -> Trained:
    """One training: `Training(loss, source, optimiser, steps, **options)(params, key)`."""
    return Training(loss, source, optimiser, steps, **options)(params, key)


def log_steps(steps: int, count: int = 40, first: int = 1) -> tuple[int, ...]:
    """0, then about `count` steps at equal ratios from `first` to `steps`: for snapshots."""
    _check_whole("steps", steps, 1)
    spaced = np.geomspace(min(first, steps), steps, count)
    return tuple(sorted({0, *(int(t) for t in np.rint(spaced)), steps}))


def multipliers(parts: Any, params: Any) -> Any:
    """One multiplier for each array, from a prefix of the parameters' tree."""
    return jax.tree.map(lambda m, part: jax.tree.map(lambda _: m, part), parts, params)


def snapshot_index(times: Any, time: int) -> int:
    """The place of the last snapshot that is not later than `time`."""
    taken = np.asarray(times)
    if not taken.size or time < taken[0]:
        first = f"the first is at step {taken[0]}" if taken.size else "it kept none"
        raise InvalidInputError(
            f"This training has no snapshot at or before step {time} ({first}): "
            "fit again with that step among its snapshots."
        )
    return int(np.searchsorted(taken, time, side="right")) - 1


def check_params(params: Any) -> None:
    """Every leaf must be a floating array: integers and functions have no gradient."""
    leaves = jax.tree.leaves(params)
    if not leaves or not all(eqx.is_inexact_array(leaf) for leaf in leaves):
        kinds = sorted({str(getattr(leaf, "dtype", type(leaf).__name__)) for leaf in leaves})
        raise InvalidInputError(
            f"Parameters must be floating arrays, got {', '.join(kinds) or 'none'}: "
            "keep everything else in the loss."
        )


def _stream(key: Key[Array, ""], role: int, step: Int[Array, ""]) -> Key[Array, ""]:
    return jax.random.fold_in(jax.random.fold_in(key, role), step)


def _dtype(params: Any) -> Any:
    return jax.tree.leaves(params)[0].dtype


def _finite(tree: Any) -> Bool[Array, ""]:
    return jnp.stack([jnp.all(jnp.isfinite(a)) for a in jax.tree.leaves(tree)]).all()


def _where(condition: Bool[Array, ""], new: Any, old: Any) -> Any:
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), new, old)


def _check_whole(name: str, value: Any, least: int) -> None:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least:
        raise InvalidInputError(f"{name} must be a whole number of at least {least}, got {value}.")
