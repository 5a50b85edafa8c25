"""Fleets that train: on streams of fresh points, and trainings that can be interrupted."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from featlearn.fleet._fit import Fleet, stack_keys, stack_members
from featlearn.fleet._map import map_members
from featlearn.learners._protocol import Fitted, StreamLearner
from featlearn.precision import double_precision
from featlearn.training.resume import fingerprint, in_segments
from featlearn.training.train import State, Trained, Training


@double_precision
def fit_stream_many(
    learner: StreamLearner | Sequence[StreamLearner],
    tasks: Any,
    keys: Key[Array, "r"] | Sequence[Key[Array, ""]],
    *,
    block: int | None = None,
    memory: int | None = None,
) -> Fleet:
    """Fit each (learner, task, key) on fresh points; equals fitting one by one, to rounding.

    learner   one for all, or one for each member: they may differ in floats only
    tasks     one for each member, which may differ in floats only; or one for all
    keys      one for each member
    """
    keys = stack_keys(keys)
    count = keys.shape[0]
    learners = stack_members(learner, count, "learners")
    stacked = stack_members(tasks, count, "tasks")
    fitted = map_members(_fit_one, learners, stacked, keys, block=block, memory=memory)
    return Fleet(stacked=fitted, size=count)


def _fit_one(learner: StreamLearner, task: Any, key: Key[Array, ""]) -> Fitted:
    return learner.fit_stream_arrays(task, key)


@double_precision
def train_many(
    training: Training | Sequence[Training],
    params: Any,
    keys: Key[Array, "r"] | Sequence[Key[Array, ""]],
    *,
    checkpoint: str | Path | None = None,
    block: int | None = None,
    memory: int | None = None,
) -> Trained:
    """Trainings of a fleet, stacked: each equals `training(params, key)`, to rounding.

    training     one for all, or one for each member: they may differ in floats only
    params       stacked: every array has the members on its first axis
    checkpoint   a file from which an interrupted fleet goes on, segment by segment
    """
    keys = stack_keys(keys)
    trainings = stack_members(training, keys.shape[0], "trainings")
    if checkpoint is None:
        trained: Trained = map_members(_train, trainings, params, keys, block=block, memory=memory)
        return trained

    def advance(state: State, begin: int, end: int) -> State:
        ends = (jnp.asarray(t, jnp.int32) for t in (begin, end))
        moved: State = map_members(_Segment(*ends), trainings, state, block=block, memory=memory)
        return moved

    state, first, seen = in_segments(
        lambda: eqx.filter_vmap(_start)(trainings, params, keys),
        advance,
        trainings.stops,
        checkpoint=checkpoint,
        name=fingerprint(trainings, params, keys),
    )
    seen = jax.tree.map(lambda *a: jnp.stack(a, axis=1), *seen)
    return eqx.filter_vmap(_finish)(trainings, state, first, seen)


class _Segment(eqx.Module):
    """The steps begin … end − 1 of a member; their numbers are shared by the fleet."""

    begin: Int[Array, ""]
    end: Int[Array, ""]

    def __call__(self, training: Training, state: State) -> State:
        return training.advance(state, self.begin, self.end)


def _train(training: Training, params: Any, key: Key[Array, ""]) -> Trained:
    return training(params, key)


def _start(training: Training, params: Any, key: Key[Array, ""]) -> State:
    return training.start(params, key)


def _finish(training: Training, state: State, first: Any, seen: Any) -> Trained:
    kept = training.trajectory(first, seen) if training.snapshots else None
    return training.finish(state, kept)
