"""One cell of `beyond/minimal-norm`: the network built by hand, or one that descent finds."""

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.engine import Cell, Outcome
from featlearn.fleet import map_members
from featlearn.inputs import Hypercube
from featlearn.networks import Dense, Description, parity_network
from featlearn.networks.parity import path_norm, product_norm
from featlearn.studies.beyond._described import Descent, measured
from featlearn.studies.beyond._fleets import (
    keys_of,
    numbers_of,
    outcomes_of,
)
from featlearn.targets import products
from featlearn.tasks import Task


class Parity(eqx.Module):
    """Two layers, both trained, on the product of the first k coordinates; x = z/√d, z = ±1."""

    width: int = eqx.field(static=True)
    d: int = eqx.field(static=True)
    k: int = eqx.field(static=True)
    n: int = eqx.field(static=True)
    epochs: int = eqx.field(static=True)
    draws: int = eqx.field(static=True)

    def __call__(
        self,
        rate: Float[Array, ""],
        decay: Float[Array, ""],
        data: Key[Array, ""],
        start: Key[Array, ""],
        test: Key[Array, ""],
    ) -> dict[str, Float[Array, ""]]:
        first = Dense(self.width, "relu", bias=True, variance=2.0)  # |x| = 1
        last = Dense(1, bias=True, variance=1 / self.width)
        descent = Descent(Description(self.d, first, last), self.epochs, hidden=False)
        model, values = measured(
            descent, parity_task(self.d, self.k), self.d**-0.5, self.n, self.draws, rate, decay,
            (data, start, test),
        )  # fmt: skip
        weight, head = model.weights[0]["weight"], model.weights[1]["weight"]
        return values | norms(weight, head, self.d)


def parity_task(d: int, k: int) -> Task:
    """d^(k/2) x_1 ⋯ x_k for x = z/√d is z_1 ⋯ z_k."""
    return Task(Hypercube(d), products([range(k)], d))


def norms(weight: Array, head: Array, d: int) -> dict[str, Array]:
    """In units of √d."""
    found = {"norm": product_norm(weight, head), "path_norm": path_norm(weight, head)}
    return {name: (value / d**0.5).astype(jnp.float64) for name, value in found.items()}


def built_by_hand(key: Key[Array, ""], d: int, k: int, draws: int) -> dict[str, Array]:
    """Its error on fresh points, and its norms."""
    network, task = parity_network(d, range(k)), parity_task(d, k)
    z = task.inputs.sample(key, draws)
    gap = network(z / d**0.5)[:, 0] - task.target(z)[:, 0]
    weight, head = network.trained[0]["weight"], network.trained[1]["weight"]
    return {"risk": jnp.mean(gap.astype(jnp.float64) ** 2), **norms(weight, head, d)}


class ByHand(eqx.Module):
    """The same, as a member of a fleet."""

    d: int = eqx.field(static=True)
    k: int = eqx.field(static=True)
    draws: int = eqx.field(static=True)

    def __call__(self, test: Key[Array, ""]) -> dict[str, Array]:
        return built_by_hand(test, self.d, self.k, self.draws)


def measure_parity(cells: Sequence[Cell]) -> list[Outcome]:
    """The outcomes of a fleet, in the order of its cells."""
    p = cells[0].parameters
    if p["learner"] == "by hand":
        by_hand = ByHand(p["d"], p["k"], p["draws"])
        return outcomes_of(map_members(by_hand, keys_of(cells, "test"), effort="little"))
    experiment = Parity(p["width"], p["d"], p["k"], p["n"], p["epochs"], p["draws"])
    found = map_members(
        experiment,
        *(numbers_of(cells, name, jnp.float32) for name in ("rate", "decay")),
        *(keys_of(cells, role) for role in ("data", "start", "test")),
        block=1 if jax.default_backend() == "cpu" else None,
        effort="little",
    )
    return outcomes_of(found)
