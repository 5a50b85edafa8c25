"""One cell of `beyond/matrix-sensing`: draw a matrix and measurements, recover it."""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from featlearn.decompositions import qr
from featlearn.engine import Cell, Outcome
from featlearn.fleet import map_members
from featlearn.learners import FactoredDescent, NuclearNorm
from featlearn.learners._sensing import Measurements
from featlearn.studies.beyond._fleets import keys_of, numbers_of, outcomes_of


class Sensing(eqx.Module):
    """n of `most` Gaussian measurements of a d × d matrix with r singular values, all equal."""

    learner: Any
    dim: int = eqx.field(static=True)
    most: int = eqx.field(static=True)

    def __call__(
        self,
        n: Int[Array, ""],
        rank: Int[Array, ""],
        start: Float[Array, ""],
        teacher: Key[Array, ""],
        data: Key[Array, ""],
        begin: Key[Array, ""],
    ) -> dict[str, Float[Array, ""]]:
        truth = low_rank(teacher, self.dim, rank)
        matrices = jax.random.normal(data, (self.most, self.dim, self.dim), jnp.float32)
        labels = jnp.einsum("npq,pq->n", matrices, truth, precision="highest")
        learner = self.learner
        if isinstance(learner, FactoredDescent):
            learner = eqx.tree_at(lambda one: one.start, learner, start)
        found = learner.recover_arrays(Measurements(matrices, labels, n), begin)
        record = {name: jnp.asarray(value, jnp.float64) for name, value in found.record.items()}
        off = jnp.linalg.norm(found.matrix - truth) / jnp.linalg.norm(truth)
        return {"error": off.astype(jnp.float64), **record}


def low_rank(key: Key[Array, ""], dim: int, rank: Int[Array, ""]) -> Float[Array, "d d"]:
    """UVᵀ of the first `rank` columns of two random orthogonal matrices."""
    left, right = (
        qr(jax.random.normal(k, (dim, dim), jnp.float32))[0] for k in jax.random.split(key)
    )
    return (left * (jnp.arange(dim) < rank)) @ right.T


def measure_sensing(cells: Sequence[Cell]) -> list[Outcome]:
    """The outcomes of a fleet, in the order of its cells."""
    first = cells[0].parameters
    learner: Any = NuclearNorm()
    if first["learner"] != "nuclear norm":
        learner = FactoredDescent(start=first["start"], tolerance=1e-3)
    experiment = Sensing(learner, first["d"], first["most"])
    block = 1 if jax.default_backend() == "cpu" else None
    found = map_members(
        experiment,
        numbers_of(cells, "n", jnp.int32),
        numbers_of(cells, "r", jnp.int32),
        numbers_of(cells, "start", jnp.float32),
        *(keys_of(cells, role) for role in ("teacher", "data", "start")),
        block=block,
        effort="little",
    )
    return outcomes_of(found)
