"""One cell of the transfer study: pretrain on f*, then new heads for He_p of the same direction."""

from collections.abc import Sequence
from math import factorial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from featlearn.engine import Cell, Outcome
from featlearn.inputs import Gaussian
from featlearn.learners import OneStep
from featlearn.measures import energy_outside
from featlearn.measures.estimates import over_draws
from featlearn.samples import Sample
from featlearn.studies._fleets import outcomes
from featlearn.studies.representations._experiment import Keys, Teacher, stacked_keys
from featlearn.studies.representations._teachers import terms_of, together
from featlearn.targets import single_index
from featlearn.tasks import Task


class Transfer(eqx.Module):
    """Pretraining on n samples, then a head on each N of `sizes` samples of the new target.

    With `shuffled` the pretraining labels are permuted: the step then has nothing to find.
    """

    learner: OneStep
    teacher: Teacher = eqx.field(static=True)
    coefficients: tuple[float, ...] = eqx.field(static=True)
    rows: int = eqx.field(static=True)
    sizes: tuple[int, ...] = eqx.field(static=True)
    draws: int = eqx.field(static=True)

    def __call__(
        self,
        n: Int[Array, ""],
        noise: Float[Array, ""],
        shuffled: Int[Array, ""],
        keys: Keys,
    ) -> dict[str, Float[Array, ""]]:
        teacher = self.teacher.draw(keys.teacher, jnp.asarray(self.coefficients, jnp.float64))
        inputs, u = Gaussian(self.teacher.dim), teacher.directions[:, 0]
        first_key, second_key, order_key = jax.random.split(keys.data, 3)
        first = Task(inputs, teacher, noise).sample(first_key, self.rows)
        order = jnp.argsort(jax.random.uniform(order_key, (self.rows,), jnp.float32))
        y = jnp.where(shuffled > 0, shuffle(first.y, order, n), first.y)
        fit = self.learner.fit_arrays(Sample(first.x, y, n), keys.start)
        p = self.teacher.degree
        target = single_index({p: factorial(p) ** -0.5}, self.teacher.dim, direction=u)
        task = Task(inputs, target, noise)
        second = task.sample(second_key, max(self.sizes))

        def risk(count: Int[Array, ""]) -> Float[Array, ""]:
            head = fit.transfer_arrays(Sample(second.x, second.y, count), keys.start)

            def gap(x: Array) -> Array:
                x = x.astype(jnp.float64)
                return (head(x) - target(x)) ** 2

            return jnp.mean(over_draws(gap, inputs, keys.test, self.draws))

        risks = jax.lax.map(risk, jnp.asarray(self.sizes, jnp.int32))
        named = {f"risk_{size}": risks[i] for i, size in enumerate(self.sizes)}
        return named | {"outside": energy_outside(fit.weight, teacher.directions)}


def shuffle(y: Float[Array, "rows"], order: Int[Array, "rows"], n: Int[Array, ""]) -> Array:
    """The first n labels in another order; the rest stay last, where padding is."""
    inside = jnp.argsort(jnp.where(order < n, 0, 1), stable=True)
    return y[order[inside]]


def measure_transfer(cells: Sequence[Cell]) -> list[Outcome]:
    """The outcomes of a fleet, in the order of its cells."""
    first: Any = cells[0].parameters
    indices, coefficients = together([terms_of(first)])
    experiment = Transfer(
        learner=OneStep(first["width"], estimate_rank=False),
        teacher=Teacher(indices, first["d"]),
        coefficients=tuple(coefficients[0]),
        rows=first["rows"],
        sizes=tuple(first["sizes"]),
        draws=first["draws"],
    )
    n = jnp.asarray([cell.parameters["n"] for cell in cells], jnp.int32)
    noise = jnp.asarray([cell.parameters["noise"] for cell in cells], jnp.float64)
    shuffled = jnp.asarray([int(cell.parameters["shuffled"]) for cell in cells], jnp.int32)
    return outcomes(experiment, n, noise, shuffled, stacked_keys(cells))
