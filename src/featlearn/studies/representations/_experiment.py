"""One cell of the representations studies: draw a teacher and a sample, fit, measure.

An `Experiment` is what the cells of a fleet share; `measure_cells` runs them as one program.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from featlearn import kernels, learners, seeds
from featlearn.decompositions import eigh, singular_values
from featlearn.engine import Cell, Outcome
from featlearn.fleet import Effort
from featlearn.inputs import Gaussian
from featlearn.measures import energy_outside, overlap
from featlearn.measures.components import parts_of_degrees
from featlearn.measures.estimates import over_draws, ratio_estimate
from featlearn.samples import Sample
from featlearn.studies._fleets import outcomes
from featlearn.studies.representations._teachers import (
    Index,
    degrees_of,
    terms_of,
    together,
)
from featlearn.targets import MultiIndex, multi_index
from featlearn.tasks import Task


class Keys(NamedTuple):
    """Separate streams, so that another learner, or more noise, changes nobody's data."""

    teacher: Key[Array, ""]
    data: Key[Array, ""]
    start: Key[Array, ""]
    test: Key[Array, ""]


@dataclass(frozen=True)
class Teacher:
    """Polynomials of r random orthonormal directions that have parts at these multi-indices."""

    indices: tuple[Index, ...]
    dim: int

    def draw(self, key: Key[Array, ""], coefficients: Float[Array, "m"]) -> MultiIndex:
        terms = {a: coefficients[i] for i, a in enumerate(self.indices)}
        return multi_index(terms, self.dim, key=key)

    @property
    def degrees(self) -> tuple[int, ...]:
        """The degrees of which the polynomials have a part."""
        return tuple(sorted({sum(a) for a in self.indices}))

    @property
    def degree(self) -> int:
        return self.degrees[-1]


class Experiment(eqx.Module):
    """A learner on samples of a teacher, padded to `rows`, measured on `draws` fresh points.

    Without `head` only the neurons are measured: the compiled program then leaves the head out.
    With `chance` the same learner is also given labels of random sign: what its neurons then have
    inside S* is the level of chance.
    """

    learner: Any
    teacher: Teacher = eqx.field(static=True)
    rows: int = eqx.field(static=True)
    draws: int = eqx.field(static=True)
    head: bool = eqx.field(static=True)
    chance: bool = eqx.field(static=True)

    def __call__(
        self,
        n: Int[Array, ""],
        noise: Float[Array, ""],
        step: Float[Array, ""],
        coefficients: Float[Array, "m"],
        keys: Keys,
    ) -> dict[str, Float[Array, ""]]:
        target = self.teacher.draw(keys.teacher, coefficients)
        task = Task(Gaussian(self.teacher.dim), target, noise)
        drawn = task.sample(keys.data, self.rows)
        learner, basis = with_step(self.learner, step), target.directions
        fit = learner.fit_arrays(Sample(drawn.x, drawn.y, n), keys.start)
        values = _subspace(fit, basis) if hasattr(fit, "weight") else {}
        if self.head:
            values |= measured(fit, task, basis, self.teacher.degrees, keys.test, self.draws)
        if self.chance:
            sign_key = jax.random.fold_in(keys.data, 1)
            sign = jax.random.rademacher(sign_key, drawn.y.shape, drawn.y.dtype)
            by_chance = learner.fit_arrays(Sample(drawn.x, sign * drawn.y, n), keys.start)
            values["outside_by_chance"] = energy_outside(by_chance.weight, basis)
        return values


def measured(
    fit: Any,
    task: Task,
    basis: Float[Array, "d r"],
    degrees: tuple[int, ...],
    key: Key[Array, ""],
    draws: int,
) -> dict[str, Float[Array, ""]]:
    """What every cell reports of a fit on fresh points with noiseless labels.

    E f*² = 1; dividing by its mean on the same draws removes most of what they do by chance.
    """

    def at(x: Array) -> tuple[Array, Array, Array]:
        x = x.astype(jnp.float64)
        return x @ basis, fit(x).astype(jnp.float64), task.target(x).astype(jnp.float64)

    z, predicted, truth = over_draws(at, task.inputs, key, draws)
    squares = ratio_estimate((predicted - truth) ** 2, truth**2)
    parts = parts_of_degrees(z, predicted, truth, degrees[-1])
    return {
        "risk": squares.value,
        "risk_stderr": squares.stderr,
        "l1": jnp.mean(jnp.abs(predicted - truth)),
        "excess": jnp.mean(jnp.maximum(jnp.abs(predicted - truth) - task.noise, 0.0)),
        "grid_edge": fit.record["grid_edge"],
        "penalty": fit.record["penalty"],
        **{f"part_{k}": parts.predicted_energy[k] for k in range(degrees[-1] + 1)},
        **{f"learned_{k}": parts.learned.value[k] for k in degrees},
    }


def _subspace(fit: Any, basis: Float[Array, "d r"]) -> dict[str, Float[Array, ""]]:
    """How the neurons lie to the true directions."""
    r = basis.shape[1]
    weight = fit.weight.astype(jnp.float64)
    found = eigh(weight.T @ weight)[1][:, ::-1][:, :r]
    cosines = singular_values(found.T @ basis)
    values = {
        "outside": energy_outside(weight, basis),
        "overlap": overlap(found, basis),
        "worst_cosine": jnp.clip(cosines[-1], 0.0, 1.0),
    }
    for j in range(r):
        values[f"direction_{j + 1}"] = jnp.sum((found.T @ basis[:, j]) ** 2)
    if "rank" in fit.record:
        values["rank"] = fit.record["rank"]
    return values


def make_learner(parameters: Mapping[str, Any]) -> Any:
    """The learner that a cell names. Each kernel is tuned over two numbers, and all over 100 λ."""
    name, width = parameters["learner"], parameters["width"]
    rank = parameters["r"]
    degree = degrees_of(terms_of(parameters))[-1]
    table: dict[str, Callable[[], Any]] = {
        "one step": lambda: learners.OneStep(width, estimate_rank=False),
        "one step, rank estimated": lambda: learners.OneStep(width),
        "one step, non-symmetric": lambda: learners.OneStep(
            width, symmetric=False, estimate_rank=False
        ),
        "random features": lambda: learners.RandomFeatures(width),
        "pHd": lambda: learners.PHd(width, rank=rank, whiten=False),
        "SIR": lambda: learners.SIR(width, rank=rank, whiten=False),
        "SAVE": lambda: learners.SAVE(width, rank=rank, whiten=False),
        "NTK": lambda: learners.KernelRidge(
            [kernels.NTK(1, bias_variance=b) for b in BIAS_VARIANCES]
        ),
        "conjugate kernel": lambda: learners.KernelRidge(
            [kernels.Conjugate(1, bias_variance=b) for b in BIAS_VARIANCES]
        ),
        "RBF": lambda: learners.KernelRidge([kernels.RBF(h) for h in BANDWIDTHS]),
        "polynomial": lambda: learners.KernelRidge(
            [kernels.Polynomial(degree, offset=c) for c in OFFSETS]
        ),
    }
    return table[name]()


SHORT = 10**7  # entries; at 2·10⁷ unoptimised code costs what its compilation saves
BIAS_VARIANCES = (0.3, 1.0)
BANDWIDTHS = (1.5, 4.0)
OFFSETS = (0.3, 1.0)


def with_step(learner: Any, step: Float[Array, ""]) -> Any:
    """The learner with its step's size, where it takes a step."""
    if not isinstance(learner, learners.OneStep):
        return learner
    return eqx.tree_at(lambda one: one.step, learner, step)


def measure_cells(cells: Sequence[Cell]) -> list[Outcome]:
    """The outcomes of a fleet, in the order of its cells."""
    first, teachers = cells[0].parameters, [terms_of(cell.parameters) for cell in cells]
    indices, coefficients = together(teachers)
    experiment = Experiment(
        learner=make_learner(first),
        teacher=Teacher(indices, first["d"]),
        rows=first["rows"],
        draws=first["draws"],
        head=first["head"],
        chance=first["chance"],
    )
    n = jnp.asarray([cell.parameters["n"] for cell in cells], jnp.int32)
    noise, step = (
        jnp.asarray([cell.parameters[name] for cell in cells], jnp.float64)
        for name in ("noise", "step")
    )
    table = jnp.asarray(coefficients, jnp.float64)
    keys = stacked_keys(cells)
    found = outcomes(experiment, n, noise, step, table, keys, effort=_effort(cells))
    return [_of_degrees(o, degrees_of(terms)) for o, terms in zip(found, teachers, strict=True)]


def _of_degrees(outcome: Outcome, degrees: tuple[int, ...]) -> Outcome:
    """Without what is said of degrees that other teachers of the fleet have."""
    kept = {f"learned_{k}" for k in degrees}
    values = {
        name: value
        for name, value in outcome.values.items()
        if name in kept or not name.startswith("learned_")
    }
    return replace(outcome, values=values)


def _effort(cells: Sequence[Cell]) -> Effort:
    """Little where the entries of all features and Gram matrices take longer than compiling."""
    sizes = ((c.parameters["n"], c.parameters["width"]) for c in cells)
    return "least" if sum(n * (width or n) for n, width in sizes) < SHORT else "little"


def stacked_keys(cells: Sequence[Cell]) -> Keys:
    """Keys from (study, role, repetition) alone."""
    return Keys(
        *(
            jnp.stack([seeds.key(cell.study, role, cell.repetition) for cell in cells])
            for role in Keys._fields
        )
    )
