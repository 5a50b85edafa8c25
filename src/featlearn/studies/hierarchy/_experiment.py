"""One cell of the trained dense networks: draw a target, train on fresh points, look at the layers.

Every look measures the network as it was after so many steps, with the layers that had joined in:

    risk       E(f − G)² / Var G
    error_ℓ    α_ℓ² min_U E‖S*_ℓ − U S_ℓ‖², and its null level
    distilled  the same of layer 1 with as many features as the target has, K of KᵀK ≈ WᵀW
    foreign    ‖M − PMP‖²/‖M‖² of the first layer's quadratic form M, P on the true subspace
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn import seeds
from featlearn.decompositions import eigh
from featlearn.engine import Cell, Outcome
from featlearn.fleet import map_members
from featlearn.inputs import Gaussian
from featlearn.learners import Dense, DenseFit, Stages
from featlearn.measures import feature_error, foreign_energy
from featlearn.studies.hierarchy._cells import SHOWN, graph, stages, times, unlock
from featlearn.targets import dense, toy
from featlearn.tasks import Task
from featlearn.training import Optimiser

DROPS = ((0.5, 0.3), (0.7, 0.3), (0.85, 0.3), (0.95, 0.3))
ERROR_DRAWS = 4096  # points on which the features of a look are compared


class Keys(NamedTuple):
    """Separate streams: the teacher's, the training's (start and fresh points), the test's."""

    teacher: Key[Array, ""]
    start: Key[Array, ""]
    test: Key[Array, ""]


class Experiment(eqx.Module):
    """What the cells of a fleet share: everything but the gaps and the keys."""

    target: str = eqx.field(static=True)
    d: int = eqx.field(static=True)
    k: tuple[int, ...] = eqx.field(static=True)
    kappa: float = eqx.field(static=True)
    graph: Any = eqx.field(static=True)
    draws: int = eqx.field(static=True)
    learner: Dense
    before: int = eqx.field(static=True)  # the step at which layers after the first join in

    def __call__(
        self, gaps: Float[Array, "layers"], stages: Stages, keys: Keys
    ) -> dict[str, Array]:
        task = self.task(gaps, keys.teacher)
        learner = replace(self.learner, mode=stages, gaps=tuple(gaps))
        fit = learner.fit_stream_arrays(task, keys.start)
        stacked = fit.each()
        x = task.inputs.sample(keys.test, self.draws)
        truth = task.target(x).astype(jnp.float64)

        def look(one: Any) -> dict[str, Array]:
            weights, heads = one
            then = eqx.tree_at(lambda f: (f.weights, f.shape.heads), fit, (weights, heads))
            return _measured(then, task, x, truth, keys.test)

        seen = jax.lax.map(look, (stacked.weights, stacked.shape.heads))
        record = {name: fit.record[name] for name in ("diverged", "diverged_step", "rate")}
        forms = self._forms(eqx.tree_at(lambda f: f.shape, stacked, fit.shape))
        variance = {"variance": jnp.var(truth)}
        return {**_by_time(seen, self.learner.snapshots), **variance, **forms, **record}

    def task(self, gaps: Float[Array, "layers"], key: Key[Array, ""]) -> Task:
        """The toy with inputs of mean 1, or a random target with standard ones."""
        if self.target == "correction":
            shifted = Gaussian(self.d, mean=np.ones(self.d))
            return Task(shifted, toy("correction", self.d, gaps[1] / gaps[0]))
        target = dense(self.d, self.k, gaps, self.reads, self.kappa, key=key)
        return Task(Gaussian(self.d), target)

    @property
    def reads(self) -> dict[int, tuple[int, ...]] | None:
        return dict(self.graph) if self.graph else None

    def _forms(self, seen: DenseFit) -> dict[str, Array]:
        """The first layer's form when the second joins in, and at the end."""
        found: dict[str, Array] = {}
        for name, time in (("before", self.before), ("end", self.learner.steps)):
            place = self.learner.snapshots.index(time)
            weights = jax.tree.map(lambda a, i=place: a[i], seen.weights)
            form = eqx.tree_at(lambda f: f.weights, seen, weights).quadratic_form(1)
            pairs = zip(*np.triu_indices(min(SHOWN, len(form))), strict=True)
            found |= {f"form_{name}_{i}_{j}": form[i, j] for i, j in pairs}
        return found


class _Distilled(eqx.Module):
    """S = Kx with the k features KᵀK ≈ M that say most of the first layer's form M."""

    matrix: Float[Array, "k d"]

    def __init__(self, form: Float[Array, "d d"], k: int) -> None:
        values, vectors = eigh(form)
        self.matrix = jnp.sqrt(jnp.maximum(values[-k:], 0.0))[:, None] * vectors[:, -k:].T

    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n k"]:
        return x.astype(jnp.float64) @ self.matrix.T


def _measured(
    fit: DenseFit, task: Task, x: Array, truth: Array, key: Key[Array, ""]
) -> dict[str, Array]:
    miss = fit(x).astype(jnp.float64) - truth
    basis = task.target.weights[0][0].T  # type: ignore[attr-defined]
    found = {
        "risk": jnp.mean(miss**2) / jnp.var(truth),
        "foreign": foreign_energy(fit.quadratic_form(1), basis),
    }
    distilled = _Distilled(fit.quadratic_form(1), basis.shape[1])
    found["distilled"] = feature_error(distilled, task, 1, key=key, n=ERROR_DRAWS).value
    for level in range(1, fit.levels + 1):
        error = feature_error(fit, task, level, key=key, n=ERROR_DRAWS)
        found |= {f"error_{level}": error.value, f"null_{level}": error.null}
    return found


def _by_time(seen: Mapping[str, Array], at: Sequence[int]) -> dict[str, Array]:
    return {f"{name}_{t}": column[i] for name, column in seen.items() for i, t in enumerate(at)}


def _learner(parameters: Mapping[str, Any]) -> Dense:
    layers = len(parameters["gaps"])
    return Dense(
        (parameters["neurons"],) * layers,
        steps=parameters["steps"],
        batch=parameters["batch"],
        optimiser=Optimiser("adam", rate=parameters["rate"], clip=1.0, drops=DROPS),
        graph=graph(parameters),
        snapshots=times(parameters),
    )


def measure_cells(cells: Sequence[Cell]) -> list[Outcome]:
    """The outcomes of a fleet, in the order of its cells."""
    first = cells[0].parameters
    experiment = Experiment(
        target=first["target"],
        d=first["d"],
        k=tuple(first["k"]),
        kappa=first["kappa"],
        graph=tuple(sorted((graph(first) or {}).items())),
        draws=first["draws"],
        learner=_learner(first),
        before=round(unlock(first)[0] * first["steps"]) if len(first["gaps"]) > 1 else 0,
    )
    modes = jnp.asarray([stages(cell.parameters) for cell in cells], jnp.float64)
    named = Stages(tuple(modes[:, 0].T), tuple(modes[:, 1].T))
    gaps = jnp.asarray([cell.parameters["gaps"] for cell in cells], jnp.float64)
    found = map_members(experiment, gaps, named, stacked_keys(cells), effort="little")
    table = {name: np.asarray(column) for name, column in found.items()}
    return [_outcome({n: float(c[i]) for n, c in table.items()}) for i in range(len(cells))]


def _outcome(values: dict[str, float]) -> Outcome:
    diverged, step, rate = (values.pop(n) for n in ("diverged", "diverged_step", "rate"))
    if not diverged:
        return Outcome(values=values)
    message = f"diverged at step {step:.0f}, at a learning rate of {rate:.3g}"
    return Outcome(values=values, state="diverged", message=message)


def stacked_keys(cells: Sequence[Cell]) -> Keys:
    """Keys from (study, role, repetition) alone."""
    return Keys(
        *(
            jnp.stack([seeds.key(cell.study, role, cell.repetition) for cell in cells])
            for role in Keys._fields
        )
    )
