"""The loop of Algorithm 1: a look at the rules, some steps of training, and again."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from featlearn.learners.hierarchical._algorithm import (
    Check,
    Phase,
    Rules,
    check,
    first_phase,
    multipliers,
    objective,
)
from featlearn.learners.hierarchical._fit import Checkpoints
from featlearn.learners.hierarchical._network import Form, Frozen, Weights
from featlearn.samples import Sample
from featlearn.training import Optimiser, Source, State, Training

NEVER = -1


class Plan(NamedTuple):
    """What a run needs beside its rules."""

    form: Form
    optimiser: Optimiser
    noise: Float[Array, ""]
    steps: int
    every: int


class Ran(NamedTuple):
    weights: Weights
    phase: Phase
    checkpoints: Checkpoints
    record: dict[str, Any]


def run(
    plan: Plan, rules: Rules, frozen: Frozen, source: Source, meter: Sample, key: Key[Array, ""]
) -> Ran:
    """Algorithm 1 on batches of `source`; `meter` is where the objective is measured."""
    dtype = frozen.alphas.dtype
    begin = first_phase(plan.form.layers, dtype)
    start = _training(plan, rules, frozen, source, begin).start(plan.form.zeros(dtype), key)
    steps = jnp.arange(0, plan.steps + plan.every, plan.every, dtype=jnp.int32)
    ends = jnp.append(steps[1:], steps[-1])  # after the last look no step is taken

    def look(carry: tuple[State, Phase], span: tuple[Array, Array]) -> tuple[Any, Check]:
        state, phase = carry
        found = check(state.params, frozen, rules, phase, plan.form, meter)
        training = _training(plan, rules, frozen, source, found.phase)
        after = training.advance(state._replace(params=found.weights), *span)
        return (after, found.phase), found

    (state, phase), seen = jax.lax.scan(look, (start, begin), (steps, ends))
    kept = Checkpoints(steps, seen.weights, seen.phase.widths)
    return Ran(state.params, phase, kept, _record(seen, steps, state, plan.optimiser))


def _training(plan: Plan, rules: Rules, frozen: Frozen, source: Source, phase: Phase) -> Training:
    """Training in one phase: its penalties, and the step sizes of what is unlocked."""

    def loss(weights: Weights, batch: Sample) -> Float[Array, ""]:
        return objective(weights, frozen, rules, phase, plan.form, batch)

    def noise(key: Key[Array, ""], weights: Weights, batch: Sample) -> Weights:
        keys = jax.random.split(key, len(weights.W))
        drawn = (
            plan.noise * jax.random.normal(k, w.shape, w.dtype)
            for k, w in zip(keys, weights.W, strict=True)
        )
        return Weights(tuple(drawn), tuple(jnp.zeros_like(k) for k in weights.K))

    return Training(
        loss,
        source,
        plan.optimiser,
        plan.steps,
        parts=multipliers(rules, phase),
        noise=noise,
        points=1,
    )


def _record(
    seen: Check, steps: Int[Array, "c"], state: State, optimiser: Optimiser
) -> dict[str, Any]:
    """The curves, and the step of every event; −1 is never."""
    phase = seen.phase
    begun = phase.started.argmax(axis=0)
    values = jnp.take_along_axis(seen.values, begun[None, :, None], axis=0)[0]
    diverged = state.stopped < jnp.iinfo(jnp.int32).max
    return {
        "step": steps,
        "objective": seen.objective,
        "error_level": phase.error,
        "unlock_step": _first(phase.unlocked, steps),
        "start_step": _first(phase.started, steps),
        "done_step": _first(phase.done, steps),
        "widths": phase.widths[-1],
        "singular_values": jnp.where(phase.started[-1][:, None], values, 0),
        "diverged": diverged,
        "diverged_step": jnp.where(diverged, state.stopped, NEVER),
        "rate": jnp.asarray(optimiser.rate, seen.objective.dtype),
    }


def _first(happened: Array, steps: Int[Array, "c"]) -> Int[Array, "*layers"]:
    return jnp.where(happened[-1], steps[happened.argmax(axis=0)], NEVER)
