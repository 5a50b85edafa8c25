"""One cell of the residual networks' studies: draw a sample, fit, measure.

An `Experiment` is what the cells of a fleet share; `measure_cells` runs them as one program.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from featlearn import kernels, learners, seeds
from featlearn.decompositions import eigh
from featlearn.engine import Cell, Outcome
from featlearn.fleet import map_members
from featlearn.inputs import Hypercube, Inputs, Sphere
from featlearn.measures.estimates import over_draws
from featlearn.samples import Sample
from featlearn.targets import Facts, Residual, Target, pair_products, powered
from featlearn.tasks import Task


class Keys(NamedTuple):
    """Separate streams, so that another learner, or another setting, changes nobody's data."""

    teacher: Key[Array, ""]
    data: Key[Array, ""]
    start: Key[Array, ""]
    test: Key[Array, ""]


class Apart(Target):
    """βF(x) + αG(F(πx)), π moving the odd coordinates of the first 16 before the even ones.

    G is as hard as before and F as easy, but the pairs of πx are not those of x: no function of
    F(x) helps with G.
    """

    whole: Residual
    apart: Bool[Array, ""]  # False: π is the identity

    @property  # type: ignore[misc]
    def dim(self) -> int:  # type: ignore[override]
        return self.whole.dim

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n k"]:
        base = self.whole.base(x)
        order = np.r_[0:16:2, 1:16:2, 16 : self.dim]
        moved = x[:, jnp.where(self.apart, order, np.arange(self.dim))]
        return self._scaled(self.whole.beta, base) + self._scaled(
            self.whole.alpha, self.whole.composite(self.whole.base(moved))
        )

    def _scaled(self, strength: Array, values: Array) -> Array:
        return strength.astype(values.dtype) * values

    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n k"]:
        return self.whole.features(x, level)

    def facts(self, inputs: Inputs) -> Facts:
        return Facts()


class Experiment(eqx.Module):
    """A learner on n + n/4 rows of a target, measured on `draws` fresh points without noise."""

    learner: Any
    target: str = eqx.field(static=True)
    d: int = eqx.field(static=True)
    p: int = eqx.field(static=True)
    rows: int = eqx.field(static=True)
    draws: int = eqx.field(static=True)
    watched: tuple[int, ...] = eqx.field(static=True)  # epochs

    def __call__(
        self,
        rate: Float[Array, ""],
        decay: Float[Array, ""],
        alpha: Float[Array, ""],
        beta: Float[Array, ""],
        n: Int[Array, ""],
        apart: Bool[Array, ""],
        keys: Keys,
    ) -> dict[str, Float[Array, ""]]:
        task = self._task(alpha, beta, apart, keys.teacher)
        drawn = task.sample(keys.data, with_validation(self.rows))
        sample = Sample(drawn.x, drawn.y, with_validation(n))
        fit = with_setting(self.learner, rate, decay).fit_arrays(sample, keys.start)
        values = measured(fit, task, keys.test, self.draws)
        return values | (watched(fit, self.watched, task, keys.test) if self.watched else {})

    def _task(self, alpha: Array, beta: Array, apart: Array, key: Key[Array, ""]) -> Task:
        if self.target == "power":
            target = powered(self.p, self.d, alpha, beta, key=key)
            return Task(Sphere(self.d, 1.0), target)
        pairs = pair_products(self.target, alpha, beta)  # type: ignore[arg-type]
        return Task(Hypercube(self.d), Apart(pairs, apart))  # type: ignore[call-arg]


def with_validation(n: Any) -> Any:
    """How many rows hold n that train: a fifth of them chooses."""
    return n + n // 4


def measured(fit: Any, task: Task, key: Key[Array, ""], draws: int) -> dict[str, Float[Array, ""]]:
    """Errors as sums over outputs, and what the fit's first layer has of βF alone."""

    def at(x: Array) -> dict[str, Array]:
        truth = task.target(x)
        found = {"risk": _squares(fit(x), truth)}
        if hasattr(fit, "network"):
            f, g = base_signal(task.target, x), first_output(fit, x)
            found |= {"base_error": _squares(g, f), "f": f, "g": g}
        return found

    errors = over_draws(at, task.inputs, key, draws)
    names = ("risk", "base_error")
    values = {name: jnp.mean(errors[name]) for name in names if name in errors}
    if "f" in errors:
        values["base_left"] = left_by_linear_maps(errors["f"], errors["g"])
    values["risk_stderr"] = jnp.std(errors["risk"]) / draws**0.5
    record = fit.record
    values["validation"] = jnp.nanmin(record["validation"]).astype(jnp.float64)
    for name in ("training", "grid_edge", "penalty", "diverged"):
        if name in record:
            values[name] = record[name].astype(jnp.float64)
    return values


def first_output(fit: Any, x: Float[Array, "n d"]) -> Float[Array, "n k"]:
    """What the first layer gives; of a network with one hidden layer, all that it gives."""
    if hasattr(fit.network, "first_output") and fit.delta is None:
        found: Array = fit.first_output(x)
        return found
    out = fit(x)
    return out[:, None] if out.ndim == 1 else out


def left_by_linear_maps(f: Float[Array, "n k"], g: Float[Array, "n k"]) -> Float[Array, ""]:
    """min over M of mean |f − Mg|²: what is in no linear map of g."""
    f, g = f.astype(jnp.float64), g.astype(jnp.float64)
    sizes, axes = eigh(g.T @ g / len(g))
    kept = sizes > 1e-10 * sizes[-1]
    along = (axes.T @ (g.T @ f)) / len(g)
    explained = jnp.sum(along**2, axis=1) / jnp.where(kept, sizes, 1.0)
    return jnp.mean(jnp.sum(f * f, axis=1)) - jnp.sum(jnp.where(kept, explained, 0.0))


def watched(
    fit: Any, epochs: tuple[int, ...], task: Task, key: Key[Array, ""]
) -> dict[str, Float[Array, ""]]:
    """E|g − βF|² at each of the epochs."""
    x = task.inputs.sample(key, WATCHED_DRAWS)
    f = base_signal(task.target, x)

    def error(moving: Any) -> Array:
        return jnp.mean(_squares(first_output(fit.moved(moving), x), f))

    errors = jax.lax.map(error, fit.trajectory)
    return {f"base_at_{epoch}": errors[i] for i, epoch in enumerate(epochs)}


WATCHED_DRAWS = 2048


def watched_epochs(parameters: Mapping[str, Any]) -> tuple[int, ...]:
    """Epochs at equal ratios, from the first to the last."""
    if not parameters["watched"]:
        return ()
    spaced = np.geomspace(1, parameters["epochs"], parameters["watched"])
    return tuple(sorted({int(epoch) for epoch in np.rint(spaced)}))


def base_signal(target: Any, x: Float[Array, "n d"]) -> Float[Array, "n k"]:
    """βF(x) in columns."""
    whole = target.whole if isinstance(target, Apart) else target
    f = whole.base(x)
    return whole.beta.astype(x.dtype) * (f[:, None] if f.ndim == 1 else f)


def _squares(found: Array, wanted: Array) -> Float[Array, "n"]:
    gap = found.reshape(len(found), -1) - wanted.reshape(len(wanted), -1)
    return jnp.sum(gap.astype(jnp.float64) ** 2, axis=1)


def make_learner(parameters: Mapping[str, Any]) -> Any:
    """The learner that a cell names. Each kernel is tuned over its own numbers and 100 λ."""
    p = parameters
    how = {"start": p["start"], "epochs": p["epochs"], "batch": p["batch"]}
    how["snapshots"] = watched_epochs(p)
    table: dict[str, Callable[[], Any]] = {
        "ResNet": lambda: learners.Residual(p["width"], **how),
        "ResNet, all": lambda: learners.Residual(p["width"], "all", **how),
        "last layer": lambda: learners.Residual(p["width"], "last", **how),
        "tangent": lambda: learners.Residual(p["width"], "tangent", **how),
        "two-layer": lambda: learners.FullyConnected(2, p["width"], **how),
        "fully connected": lambda: learners.FullyConnected(3, p["width"], **how),
        "NTK": lambda: learners.KernelRidge(
            [kernels.NTK(2, bias_variance=b) for b in BIAS_VARIANCES]
        ),
        "residual NTK": lambda: learners.KernelRidge(
            [kernels.ResidualNTK(1, bias_variance=b) for b in BIAS_VARIANCES]
        ),
        "conjugate kernel": lambda: learners.KernelRidge(
            [kernels.Conjugate(2, bias_variance=b) for b in BIAS_VARIANCES]
        ),
        "RBF": lambda: learners.KernelRidge([kernels.RBF(h) for h in bandwidths(p)]),
        "polynomial": lambda: learners.KernelRidge(
            [kernels.Polynomial(max(p["p"], 4), offset=c) for c in OFFSETS]
        ),
    }
    return table[p["learner"]]()


BIAS_VARIANCES = (0.0, 0.3, 1.0)
OFFSETS = (0.1, 0.3, 1.0)


def bandwidths(parameters: Mapping[str, Any]) -> tuple[float, ...]:
    """About the length of x, and what is short and long beside it."""
    norm = 1.0 if parameters["target"] == "power" else parameters["d"] ** 0.5
    return tuple(norm * scale for scale in (0.5, 1.0, 2.0))


def with_setting(learner: Any, rate: Float[Array, ""], decay: Float[Array, ""]) -> Any:
    """The learner with its learning rate and weight decay, where it has them."""
    if not hasattr(learner, "schedule"):
        return learner
    optimiser = replace(learner.schedule.optimiser, rate=rate, decay=decay)
    return eqx.tree_at(lambda one: one.schedule.optimiser, learner, optimiser)


def measure_cells(cells: Sequence[Cell]) -> list[Outcome]:
    """The outcomes of a fleet, in the order of its cells."""
    first = cells[0].parameters
    experiment = Experiment(
        learner=make_learner(first),
        target=first["target"],
        d=first["d"],
        p=first["p"],
        rows=first["rows"],
        draws=first["draws"],
        watched=watched_epochs(first),
    )
    numbers = (
        jnp.asarray([cell.parameters[name] for cell in cells], jnp.float64)
        for name in ("rate", "decay", "alpha", "beta")
    )
    n = jnp.asarray([cell.parameters["n"] for cell in cells], jnp.int32)
    apart = jnp.asarray([cell.parameters["apart"] for cell in cells])
    exact = not hasattr(experiment.learner, "schedule")
    block = 1 if exact and jax.default_backend() == "cpu" else None
    found = map_members(
        experiment, *numbers, n, apart, stacked_keys(cells), block=block, effort="little"
    )
    table = {name: jax.device_get(column) for name, column in found.items()}
    return [_outcome({k: float(v[i]) for k, v in table.items()}) for i in range(len(cells))]


def _outcome(values: dict[str, float]) -> Outcome:
    if not values.pop("diverged", 0.0):
        return Outcome(values=values)
    message = "the loss or the weights left the finite numbers"
    return Outcome(values=values, state="diverged", message=message)


def stacked_keys(cells: Sequence[Cell]) -> Keys:
    """Keys from (study, role, repetition) alone."""
    return Keys(
        *(
            jnp.stack([seeds.key(cell.study, role, cell.repetition) for cell in cells])
            for role in Keys._fields
        )
    )
