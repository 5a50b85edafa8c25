"""The loop of Algorithm 1: a look at the rules, some steps of training, and again."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from featlearn.learners.hierarchical._algorithm import (
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


class Seen(NamedTuple):
    """What is kept of one look at the rules."""

    weights: Weights
    phase: Phase
    objective: Float[Array, ""]
    values: Float[Array, "layers k"]


def run(
    plan: Plan, rules: Rules, frozen: Frozen, source: Source, meter: Sample, key: Key[Array, ""]
) -> Ran:
    """Algorithm 1 on batches of `source`; `meter` is where the objective is measured."""
    dtype = frozen.alphas.dtype
    begin = first_phase(plan.form.layers, dtype)
    start = _training(plan, rules, frozen, source, begin).start(plan.form.zeros(dtype), key)
    looks = plan.steps // plan.every

    def round_(carry: tuple[State, Phase], look: Int[Array, ""]) -> tuple[tuple[State, Phase], Seen]:
        state, phase = carry
        found = check(state.params, frozen, rules, phase, plan.form, meter)
        training = _training(plan, rules, frozen, source, found.phase)
        step = look * jnp.int32(plan.every)
        after = training.advance(
            state._replace(params=found.weights), step, step + jnp.int32(plan.every)
        )
        return (after, found.phase), Seen(found.weights, *found[1:])

    looked = jnp.arange(looks, dtype=jnp.int32)
    (state, phase), seen = jax.lax.scan(round_, (start, begin), looked)
    last = check(state.params, frozen, rules, phase, plan.form, meter)
    seen = jax.tree.map(
        lambda a, b: jnp.concatenate([a, b[None]]), seen, Seen(last.weights, *last[1:])
    )
    steps = jnp.arange(looks + 1, dtype=jnp.int32) * jnp.int32(plan.every)
    record = _record(seen, steps, state, plan.optimiser)
    kept = Checkpoints(steps, seen.weights, seen.phase.widths)
    return Ran(last.weights, last.phase, kept, record)


def _training(
    plan: Plan, rules: Rules, frozen: Frozen, source: Source, phase: Phase
) -> Training:
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


def _record(seen: Seen, steps: Int[Array, "c"], state: State, optimiser: Optimiser) -> dict[str, Any]:
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
