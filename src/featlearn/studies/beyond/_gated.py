"""One cell of `beyond/gated-dense`: a residual network, its gated twin, or a kernel.

    o = A σ(W(x, 1)),   f = o + B σ(V(o, 1)),   all of A, B, V, W trained

is the semi-over-parameterised network of the document but for B, which is A there. The twin has
1̃[W₁(x, 1) ≥ 0] ⊙ W(x, 1) in the place of the first σ, and 1̃[V₁(o, 1) ≥ 0] ⊙ V(o, 1) in that of the
second.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn import kernels, learners
from featlearn.engine import Cell, Outcome
from featlearn.fleet import map_members
from featlearn.inputs import Hypercube
from featlearn.measures.estimates import over_draws
from featlearn.networks import Dense, Description, Gate, Skip, gated
from featlearn.samples import Sample
from featlearn.studies.beyond._described import Descent, measured
from featlearn.studies.beyond._fleets import keys_of, numbers_of, outcomes_of
from featlearn.targets import products, residual
from featlearn.tasks import Task


def residual_description(d: int, width: int, outputs: int) -> Description:
    """Variances as on the slides: 1/d for W, 1/m for the others."""

    def hidden(variance: float) -> Dense:
        return Dense(width, "relu", bias="drawn", variance=variance)

    out = Dense(outputs, variance=1 / width)
    return Description(d, hidden(1 / d), out, Skip(hidden(1 / width), out))


def make_descent(parameters: Mapping[str, Any]) -> Descent:
    """The network that a cell names."""
    p = parameters
    plain = residual_description(p["d"], p["width"], OUTPUTS)
    chosen = plain if p["learner"] == "ResNet" else gated(plain, Gate(p["sharpness"]))
    tangent = p["learner"] == "tangent model of the twin"
    return Descent(chosen, p["epochs"], hidden=False, tangent=tangent)


OUTPUTS = 8


def make_task(parameters: Mapping[str, Any]) -> Task:
    """The slides' pairs in dimension d ≥ 16: `pair_products("slides")` is that of d = 30."""
    d = parameters["d"]
    base = products([(2 * j, 2 * j + 1) for j in range(OUTPUTS)], d)
    composite = products([(0, 1, 2, 3)] * 4 + [(4, 5, 6, 7)] * 4, OUTPUTS)
    return Task(Hypercube(d), residual(base, composite, parameters["alpha"]))


class Networks(eqx.Module):
    """A network of one form; rate, decay and seeds are its members' own."""

    descent: Descent
    task: Task
    n: int = eqx.field(static=True)
    draws: int = eqx.field(static=True)

    def __call__(
        self,
        rate: Float[Array, ""],
        decay: Float[Array, ""],
        data: Key[Array, ""],
        start: Key[Array, ""],
        test: Key[Array, ""],
    ) -> dict[str, Array]:
        keys = (data, start, test)
        return measured(self.descent, self.task, 1.0, self.n, self.draws, rate, decay, keys)[1]


class Kernels(eqx.Module):
    """Kernel ridge on the same rows, those that choose a network's settings included."""

    learner: learners.KernelRidge
    task: Task
    n: int = eqx.field(static=True)
    draws: int = eqx.field(static=True)

    def __call__(self, data: Key[Array, ""], test: Key[Array, ""]) -> dict[str, Array]:
        drawn = self.task.sample(data, self.n + self.n // 4)
        fit = self.learner.fit_arrays(Sample(drawn.x, drawn.y), data)

        def errors(x: Array) -> Array:
            gap = fit(x).astype(jnp.float64) - self.task.target(x).astype(jnp.float64)
            return jnp.sum(gap**2, axis=1)

        risk = over_draws(errors, self.task.inputs, test, self.draws).mean()
        validation = jnp.nanmin(fit.record["validation"])  # NaN: a λ that the search left out
        return {"risk": risk, "validation": validation.astype(jnp.float64)}


def make_kernel(name: str) -> learners.KernelRidge:
    """Each kernel is tuned over its own number and 100 λ."""
    table: dict[str, Callable[[], list[kernels.Kernel]]] = {
        "residual NTK": lambda: [kernels.ResidualNTK(1, bias_variance=b) for b in (0.0, 1.0)],
        "NTK": lambda: [kernels.NTK(2, bias_variance=b) for b in (0.0, 1.0)],
        "polynomial": lambda: [kernels.Polynomial(4, offset=c) for c in (0.1, 1.0)],
    }
    return learners.KernelRidge(table[name](), solver="cholesky")


def measure_gated(cells: Sequence[Cell]) -> list[Outcome]:
    """The outcomes of a fleet, in the order of its cells."""
    p = cells[0].parameters
    exact = p["width"] == 0
    block = 1 if jax.default_backend() == "cpu" else None
    if exact:
        ridge = Kernels(make_kernel(p["learner"]), make_task(p), p["n"], p["draws"])
        keys = (keys_of(cells, role) for role in ("data", "test"))
        return outcomes_of(map_members(ridge, *keys, block=block, effort="little"))
    networks = Networks(make_descent(p), make_task(p), p["n"], p["draws"])
    found = map_members(
        networks,
        *(numbers_of(cells, name, jnp.float32) for name in ("rate", "decay")),
        *(keys_of(cells, role) for role in ("data", "start", "test")),
        block=block,
        effort="little",
    )
    return outcomes_of(found)
