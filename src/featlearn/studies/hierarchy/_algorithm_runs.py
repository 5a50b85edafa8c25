"""One cell of `hierarchy/algorithm-1`: draw a target, train by Algorithm 1, measure.

The target is the paper's, with α_3, …, α_L such that layer ℓ + 1 has `share` of the second moment
of layer ℓ: the information gap in units that do not depend on the draw.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from featlearn import inputs, learners, seeds
from featlearn.engine import Cell, Outcome
from featlearn.fleet import map_members
from featlearn.learners.hierarchical import HierarchicalFit, thresholds
from featlearn.measures import feature_error
from featlearn.measures.estimates import over_draws
from featlearn.targets import dense
from featlearn.targets.dense import Dense
from featlearn.tasks import Task
from featlearn.training import Optimiser

# What the variants change, as numbers. `alpha` multiplies the learner's α_3, …, α_L.
KNOBS = ("down_first", "down_last", "distil", "below", "alpha", "candidates")


class Descent(NamedTuple):
    """An optimiser, how much faster layers above the second go, and λ3 in units of α_ℓ²."""

    optimiser: Optimiser
    above: float
    distil: float


DESCENTS = {
    "adam": Descent(Optimiser("adam", rate=0.012, epsilon=1e-12, clip=1.0), 6.0, 0.5),
    "momentum": Descent(Optimiser("momentum", rate=0.1, clip=1.0), 30.0, 1.0),
}


class Keys(NamedTuple):
    """Separate streams, so that another variant changes nobody's data."""

    teacher: Key[Array, ""]
    data: Key[Array, ""]
    start: Key[Array, ""]
    test: Key[Array, ""]


class Form(NamedTuple):
    """What the cells of a fleet share."""

    d: int
    widths: tuple[int, ...]
    graph: str  # of the target: the levels that each layer reads, as in "01 02"
    tried: str  # of the learner
    kappa: float
    share: float
    law: str
    n: int
    draws: int
    neurons: int
    most: int
    steps: int
    every: int
    batch: int
    optimiser: str
    error: float

    @property
    def looks(self) -> tuple[int, ...]:
        """At which looks at the rules the features are measured: near equal ratios."""
        last = self.steps // self.every
        return tuple(sorted({0, *(int(i) for i in np.rint(np.geomspace(1, last, 14)))}))


def read_graph(text: str) -> dict[int, tuple[int, ...]]:
    """J_2, J_3, … from their digits: "01 02" is {2: (0, 1), 3: (0, 2)}."""
    return {level: tuple(int(j) for j in word) for level, word in enumerate(text.split(), 2)}


class Experiment(eqx.Module):
    """(knobs, keys) → what is measured of one training."""

    form: Form = eqx.field(static=True)

    def __call__(
        self, knobs: dict[str, Float[Array, ""]], keys: Keys
    ) -> dict[str, Float[Array, ""]]:
        f = self.form
        law = _law(f)
        target = _target(f, law, keys.teacher)
        task = Task(law, target)
        learner = _learner(f, target.gaps, knobs)
        fit = learner.fit_arrays(task.sample(keys.data, f.n), keys.start)
        return {
            **_events(fit, f.widths),
            **_errors(fit, task, keys.test, f.draws),
            **_features(fit, task, keys.test, f),
        }


def _law(f: Form) -> Any:
    return {"uniform": inputs.Uniform, "Gaussian": inputs.Gaussian}[f.law](f.d)


def _target(f: Form, law: Any, key: Key[Array, ""]) -> Dense:
    """α_2 = 1, and the others by `share`, from the same draws for every level."""
    layers = len(f.widths)
    raw = dense(
        f.d, f.widths, (1.0,) * layers, read_graph(f.graph), f.kappa, first_layer="fixed", key=key
    )

    def parts(x: Array) -> Array:
        x = x.astype(jnp.float64)
        return jnp.stack([raw.part(x, level) ** 2 for level in range(2, layers + 2)], axis=1)

    squares = over_draws(parts, law, jax.random.fold_in(key, 1), f.draws).mean(axis=0)
    ratio = f.share ** jnp.arange(layers) * squares[0] / squares
    return eqx.tree_at(lambda t: t.gaps, raw, jnp.sqrt(ratio))


def _learner(f: Form, gaps: Float[Array, "layers"], knobs: dict[str, Array]) -> Any:
    """Algorithm 1 with the constants of the notes, and what a variant changes."""
    layers, how = len(f.widths), DESCENTS[f.optimiser]
    up, down = thresholds(layers, f.share)
    factors: list[Any] = [1.0] * (layers - 1) + [knobs["down_last"]]
    factors[0] = factors[0] * knobs["down_first"]
    return learners.Hierarchical(
        gaps * jnp.asarray([1.0, *(knobs["alpha"],) * (layers - 1)]),
        read_graph(f.tried),
        up=up,
        down=tuple(a * b for a, b in zip(down, factors, strict=True)),
        neurons=f.neurons,
        most=f.most,
        steps=f.steps,
        every=f.every,
        batch=f.batch,
        optimiser=how.optimiser,
        rates=(1.0, *(how.above,) * (layers - 1)),
        anneal=0.5,
        distil=tuple(v * how.distil * knobs["distil"] for v in (1.0, 0.3, 0.1)),
        decay=3e-4,
        error=f.error,
        mean_square=1.0,
        candidates=knobs["candidates"],
        below=knobs["below"],
    )


def _events(fit: HierarchicalFit, widths: tuple[int, ...]) -> dict[str, Array]:
    """When each layer was unlocked and each K started, and how many features were found."""
    record = fit.record
    found = record["widths"]
    values = {
        "reached": record["done_step"] >= 0,
        "validation": record["validation"],
        "done_step": _or_never(record["done_step"]),
        "wrong_widths": jnp.abs(found - jnp.asarray(widths)).sum(),
        "diverged": record["diverged"],
    }
    for i in range(len(widths)):
        values[f"width_{i + 2}"] = found[i]
        values[f"unlock_{i + 2}"] = _or_never(record["unlock_step"][i])
        values[f"start_{i + 2}"] = _or_never(record["start_step"][i])
    return values


def _or_never(step: Int[Array, ""]) -> Float[Array, ""]:
    return jnp.where(step < 0, jnp.inf, step.astype(jnp.float64))


def _errors(fit: HierarchicalFit, task: Task, key: Key[Array, ""], draws: int) -> dict[str, Array]:
    """Theorem 1's two errors, and how far the distilled network is from the trained one."""

    def at(x: Array) -> tuple[Array, ...]:
        trained = (fit(x), fit.truncated(x), fit.narrow(x))
        return *(p.astype(jnp.float64) for p in trained), task.target(x.astype(jnp.float64))

    wide, cut, narrow, truth = over_draws(at, task.inputs, key, draws)
    second, variance = jnp.mean(truth**2), jnp.var(truth)
    return {
        "risk": jnp.mean((wide - truth) ** 2) / second,
        "risk_truncated": jnp.mean((cut - truth) ** 2) / second,
        "risk_distilled": jnp.mean((narrow - truth) ** 2) / second,
        "distilled_gap": jnp.mean((narrow - wide) ** 2) / variance,
    }


def _features(fit: HierarchicalFit, task: Task, key: Key[Array, ""], f: Form) -> dict[str, Array]:
    """Each layer's feature error over E|S*|² through the training; before and after correction."""
    layers, record = len(f.widths), fit.record
    last = f.steps // f.every
    events = [
        jnp.where(record["unlock_step"][i] < 0, last, record["unlock_step"][i] // f.every)
        for i in range(1, layers)
    ]
    looks = jnp.stack([*(jnp.asarray(i) for i in f.looks), *events, jnp.asarray(last)])
    kept = fit.checkpoints

    def errors(look: Int[Array, ""]) -> Float[Array, "layers"]:
        then = eqx.tree_at(
            lambda h: (h.weights, h.widths),
            fit,
            jax.tree.map(lambda a: a[look], (kept.weights, kept.widths)),
        )
        above = range(2, layers + 2)
        return jnp.stack([_relative(then, task, level, key, f.draws) for level in above])

    found = jax.lax.map(errors, looks)
    values = {}
    for place, look in enumerate(f.looks):
        values[f"objective@{look * f.every}"] = record["objective"][look]
        for i in range(layers):
            values[f"features_{i + 2}@{look * f.every}"] = found[place, i]
    for i in range(layers):
        values[f"features_{i + 2}"] = found[-1, i]
    for i in range(1, layers):  # of layer i + 1, when layer i + 2 is unlocked
        values[f"before_{i + 1}"] = found[len(f.looks) + i - 1, i - 1]
        values[f"corrected_{i + 1}"] = values[f"before_{i + 1}"] / found[-1, i - 1]
    return values


def _relative(
    fit: HierarchicalFit, task: Task, level: int, key: Key[Array, ""], draws: int
) -> Float[Array, ""]:
    def energy(x: Array) -> Array:
        return jnp.sum(task.target.features(x.astype(jnp.float64), level) ** 2, axis=1)

    size = over_draws(energy, task.inputs, key, draws).mean()
    return feature_error(fit, task, level, key=key, n=draws, gap=1.0).value / size


def form_of(parameters: Mapping[str, Any]) -> Form:
    """The fleet of a cell."""
    given = (parameters[name] for name in Form._fields)
    return Form._make(tuple(v) if isinstance(v, list) else v for v in given)


def measure_algorithm(cells: Sequence[Cell]) -> list[Outcome]:
    """The outcomes of a fleet, in the order of its cells."""
    knobs = {
        name: jnp.asarray([cell.parameters[name] for cell in cells], jnp.float64) for name in KNOBS
    }
    keys = Keys(
        *(
            jnp.stack([seeds.key(cell.study, role, cell.repetition) for cell in cells])
            for role in Keys._fields
        )
    )
    experiment = Experiment(form_of(cells[0].parameters))
    found = map_members(experiment, knobs, keys, effort="little")
    table = {name: jax.device_get(column) for name, column in found.items()}
    return [
        Outcome(
            values={name: float(column[i]) for name, column in table.items()},
            state="diverged" if table["diverged"][i] else "done",
        )
        for i in range(len(cells))
    ]
