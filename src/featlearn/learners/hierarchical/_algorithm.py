"""Algorithm 1: when layers are unlocked, when K_ℓ starts, when the error level is halved.

    W = K = 0;  every step size and penalty is 0;  ε0 = B
    while ε0 > ε:
        while Obj ≥ ε0²/4:
            for every ℓ:
                Obj ≤ Thres_up(ℓ):  W_ℓ gets its step size, and weight decay λ6
                Obj ≤ Thres_dn(ℓ):  K_ℓ starts from W_ℓ (`_start`) with λ3 ≥ λ4 ≥ λ5
            W ← W − η (∇_W Obj + ξ),   K ← K − η ∇_K Obj,        ξ Gaussian, tiny
        ε0 ← ε0/2,  and with it λ6 ∝ ε0²

Labels are in units of B = √E y², so that thresholds are fractions of the objective at the start.
Lower layers keep their step size when higher ones get theirs: that is where they are corrected.
The rules are asked every so many steps. K_ℓ has room for the largest k_ℓ that is allowed (see
`_network`), so that shapes do not depend on what is found, and many trainings are one program.
"""

from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from featlearn.learners.hierarchical._network import Form, Frozen, Weights, predict
from featlearn.learners.hierarchical._regulariser import Penalties, regulariser
from featlearn.learners.hierarchical._start import Start, start
from featlearn.samples import Sample
from featlearn.training import mean_over


class Phase(NamedTuple):
    """Where the algorithm stands."""

    unlocked: Bool[Array, "layers"]
    started: Bool[Array, "layers"]
    widths: Int[Array, "layers"]  # k_ℓ, 0 before K_ℓ starts
    error: Float[Array, ""]  # ε0
    done: Bool[Array, ""]


class Rules(eqx.Module):
    """The constants of the algorithm, all in units in which B = 1."""

    up: Float[Array, "layers"]
    down: Float[Array, "layers"]
    rank: Float[Array, ""]
    error: Float[Array, ""]  # ε
    distil: Float[Array, "3"]  # λ3, λ4, λ5 over α_ℓ²
    decay: Float[Array, ""]  # λ6 over ε0²
    rates: Float[Array, "layers"]
    anneal: Float[Array, ""]  # η ∝ ε0^anneal
    below: Float[Array, ""]  # what is left of a layer's step size when the next is unlocked


def first_phase(layers: int, dtype: jnp.dtype) -> Phase:
    """Everything locked, ε0 = B."""
    no = jnp.zeros(layers, bool)
    return Phase(no, no, jnp.zeros(layers, jnp.int32), jnp.ones((), dtype), jnp.zeros((), bool))


def penalties(rules: Rules, frozen: Frozen, phase: Phase) -> Penalties:
    """λ3, λ4, λ5 of the layers whose K has started, λ6 of those that are unlocked."""
    cross, below, whole = rules.distil[:, None] * frozen.alphas**2 * phase.started
    return Penalties(cross, below, whole, rules.decay * phase.error**2 * phase.unlocked)


def objective(
    weights: Weights, frozen: Frozen, rules: Rules, phase: Phase, form: Form, batch: Sample
) -> Float[Array, ""]:
    """mean (y − F̃)² + Reg on a batch."""
    predicted = predict(weights, frozen, phase.widths, form.graph, batch.x, truncated=True)
    loss = mean_over((predicted - batch.y) ** 2, batch)
    return loss + regulariser(weights, penalties(rules, frozen, phase), form)


class Check(NamedTuple):
    """What one look at the rules found."""

    weights: Weights
    phase: Phase
    objective: Float[Array, ""]
    values: Float[Array, "layers k"]  # singular values from which k_ℓ is read


def check(
    weights: Weights, frozen: Frozen, rules: Rules, phase: Phase, form: Form, meter: Sample
) -> Check:
    """The next phase, and K of the layers that start now."""
    found = objective(weights, frozen, rules, phase, form, meter)
    live = ~phase.done
    error = jnp.where((found < phase.error**2 / 4) & live, phase.error / 2, phase.error)
    unlocked = phase.unlocked | ((found <= rules.up) & live)
    begins = unlocked & ~phase.started & (found <= rules.down) & live
    starts = [start(W, form.last(i), rules.rank, form.most[i]) for i, W in enumerate(weights.W)]
    K = tuple(jnp.where(b, s.K, k) for b, s, k in zip(begins, starts, weights.K, strict=True))
    widths = jnp.stack([s.width for s in starts])
    after = Phase(
        unlocked,
        phase.started | begins,
        jnp.where(begins, widths, phase.widths),
        error,
        phase.done | (error < rules.error),
    )
    return Check(Weights(weights.W, K), after, found, _padded(starts))


def multipliers(rules: Rules, phase: Phase) -> Weights:
    """Of the step size, for each matrix: 0 is locked."""
    rates = rules.rates * phase.error**rules.anneal * ~phase.done
    next_unlocked = jnp.append(phase.unlocked[1:], False)
    rates = jnp.where(next_unlocked, rules.below * rates, rates)
    return Weights(tuple(rates * phase.unlocked), tuple(rates * phase.started))


def _padded(starts: list[Start]) -> Float[Array, "layers k"]:
    most = max(s.values.size for s in starts)
    return jnp.stack([jnp.pad(s.values, (0, most - s.values.size)) for s in starts])
