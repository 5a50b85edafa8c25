"""Parities over {±1}^d: a network built by hand, and one that is trained from a random start."""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn import seeds
from featlearn.engine import Cell, Outcome
from featlearn.fleet import map_members
from featlearn.inputs import Hypercube
from featlearn.learners import Dense
from featlearn.measures import risk
from featlearn.targets import Parity, parity, parity_network
from featlearn.tasks import Task


def measure(cells: Sequence[Cell]) -> list[Outcome]:
    """One fleet: cells of one network and one number of steps, or networks built by hand."""
    if cells[0].parameters["network"] == "trained":
        return _trained(cells)
    return [Outcome(values={"risk": _by_construction(cell)}) for cell in cells]


class Training(eqx.Module):
    """A dense network on fresh points of a parity, and its risk on others."""

    learner: Dense
    dim: int = eqx.field(static=True)
    draws: int = eqx.field(static=True)

    def __call__(
        self,
        target: Parity,
        noise: Float[Array, ""],
        rate: Float[Array, ""],
        keys: dict[str, Key[Array, ""]],
    ) -> dict[str, Array]:
        task = Task(Hypercube(self.dim), target, noise)
        learner = eqx.tree_at(lambda one: one.optimiser.rate, self.learner, rate)
        fit = learner.fit_stream_arrays(task, keys["data"])
        found = risk(fit, task, key=keys["test"], n=self.draws)
        return {"risk": found.value, "diverged": fit.record["diverged"]}


def training(p: Any) -> Training:
    """The experiment that cells of these parameters share."""
    learner = Dense(p["widths"], steps=p["steps"], batch=p["batch"], signs="both")
    return Training(learner, p["d"], p["draws"])


def _trained(cells: Sequence[Cell]) -> list[Outcome]:
    p = cells[0].parameters
    targets = [_target(cell, places=2 ** len(p["widths"])) for cell in cells]
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *targets)
    numbers = (
        jnp.asarray([cell.parameters[name] for cell in cells], jnp.float32)
        for name in ("noise", "rate")
    )
    keys = {role: jnp.stack([_key(cell, role) for cell in cells]) for role in ("data", "test")}
    block = 1 if jax.default_backend() == "cpu" else None
    found = jax.device_get(
        map_members(training(p), stacked, *numbers, keys, block=block, effort="little")
    )
    return [
        Outcome(values={"risk": float(value)}, state="diverged" if lost else "done")
        for value, lost in zip(found["risk"], found["diverged"], strict=True)
    ]


def _by_construction(cell: Cell) -> float:
    """E(f − y)² of the network that is the parity, or of the one with a layer less."""
    p = cell.parameters
    target = _target(cell)
    chosen = np.asarray(target.coordinates).tolist()
    if p["network"] == "one layer fewer":
        chosen = chosen[: p["degree"] // 2]
    network = parity_network(len(chosen), p["d"], coordinates=chosen)
    x = Hypercube(p["d"]).sample(_key(cell, "test"), p["draws"])
    return float(jnp.mean((network(x) - target(x)) ** 2))


def _target(cell: Cell, places: int | None = None) -> Parity:
    p = cell.parameters
    return parity(p["degree"], p["d"], key=_key(cell, "teacher"), places=places)


def _key(cell: Cell, role: str) -> Key[Array, ""]:
    return seeds.key(cell.study, role, cell.repetition)
