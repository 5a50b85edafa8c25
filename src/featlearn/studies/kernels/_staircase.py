"""One sample path of kernel ridge: what is learned of each degree after n of its points.

    (K + δI) = L Lᵀ        z = L⁻¹ y        α_n = L⁻ᵀ (z_1, …, z_n, 0, …, 0)ᵀ

With δ = nλ fixed, the leading block of L is the factor for the first n points, and the zeros
stay zeros: one Cholesky factor gives the ridge fits for every n. The target has the parts

    h_1 = x_1,   h_2 = x_2 x_3,   h_3 = x_4 x_5 x_6,   each scaled to E h_k² = 1/3

which are harmonic, and parities on the hypercube: eigenfunctions of every rotation-invariant
kernel. Such a kernel cannot tell these coordinates from other directions. Least squares of the
predictions at fresh points on (1, h_1, h_2, h_3) gives the learned share of each.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import linalg
from jaxtyping import Array, Float, Int, Key

from featlearn import seeds
from featlearn.decompositions import inverse, one_by_one
from featlearn.engine import Cell, Outcome
from featlearn.fleet import map_members
from featlearn.inputs import Gaussian, Hypercube, Inputs, Sphere
from featlearn.kernels import DotProduct, Spectrum, learning_curve, spectrum
from featlearn.measures.estimates import over_draws
from featlearn.studies.kernels._series import (
    DEGREES,
    EXPONENTIAL,
    RELEVANT,
    SERIES,
    TOLD,
    WRONG,
)

LAWS: dict[str, type[Any]] = {"sphere": Sphere, "hypercube": Hypercube, "gaussian": Gaussian}


class Keys(NamedTuple):
    """Separate streams: another kernel, or more noise, changes nobody's points."""

    data: Key[Array, ""]
    noise: Key[Array, ""]
    test: Key[Array, ""]


class Path(eqx.Module):
    """Ridge fits on the first n of `rows` points for each n of `sizes`, measured on `draws`."""

    law: Inputs
    sizes: Int[Array, "s"]
    rows: int = eqx.field(static=True)
    draws: int = eqx.field(static=True)

    def __call__(
        self,
        series: Float[Array, "c"],
        told: Float[Array, ""],
        ridge: Float[Array, ""],
        noise: Float[Array, ""],
        keys: Keys,
    ) -> dict[str, Float[Array, "s"]]:
        kernel = DotProduct(tuple(series))
        seen = coordinates_seen(self.law.dim, told)
        scale = part_scales(self.law)
        x = self.law.sample(keys.data, self.rows).astype(jnp.float64)
        sign = jax.random.rademacher(keys.noise, (self.rows,), jnp.float32)
        y = parts(x, scale).sum(axis=1) + noise * sign
        alpha = path_coefficients(kernel(x * seen), y, ridge, self.sizes)

        def at(fresh: Array) -> tuple[Array, Array]:
            fresh = fresh.astype(jnp.float64)
            return kernel.product(fresh * seen, x * seen, alpha), parts(fresh, scale)

        predicted, truth = over_draws(at, self.law, keys.test, self.draws)
        return measured(predicted, truth)


def parts(x: Float[Array, "n d"], scale: Float[Array, "3"]) -> Float[Array, "n 3"]:
    """h_1, h_2, h_3 at each point."""
    h = [x[:, 0], x[:, 1] * x[:, 2], x[:, 3] * x[:, 4] * x[:, 5]]
    return jnp.stack(h, axis=1) * scale


def part_scales(law: Inputs) -> Float[Array, "3"]:
    """1/√(3 E h_k²): on the sphere E (x_1 … x_k)² = d^k/(d (d+2) … (d+2k−2)), elsewhere 1."""
    on_sphere = isinstance(law, Sphere)
    squares = np.cumprod(
        [law.dim / (law.dim + 2 * j) if on_sphere else 1.0 for j in range(len(DEGREES))]
    )
    return jnp.asarray(1 / np.sqrt(len(DEGREES) * squares))


def coordinates_seen(dim: int, told: Float[Array, ""]) -> Float[Array, "d"]:
    """Factors on the coordinates: 1, or for a kernel that is told the target's six, these alone."""
    six = jnp.where(jnp.arange(dim) < RELEVANT, (dim / RELEVANT) ** 0.5, 0.0)
    return 1 + told * (six - 1)


@one_by_one
def path_coefficients(
    gram: Float[Array, "n n"],
    y: Float[Array, "n"],
    ridge: Float[Array, ""],
    sizes: Int[Array, "s"],
) -> Float[Array, "n s"]:
    """(K_n + δI)⁻¹ y_n for the leading n rows, each n of `sizes` in its column, zeros below."""
    each = jnp.arange(gram.shape[0])
    factor = linalg.cholesky(gram.at[each, each].add(ridge), symmetrize_input=False)
    z = linalg.triangular_solve(factor, y[:, None], left_side=True, lower=True)
    first = z * (each[:, None] < sizes)
    return linalg.triangular_solve(factor, first, left_side=True, lower=True, transpose_a=True)


def measured(
    predicted: Float[Array, "m s"], truth: Float[Array, "m 3"]
) -> dict[str, Float[Array, "s"]]:
    """Learned shares by least squares on (1, h_1, h_2, h_3), and the error relative to E f*²."""
    h = jnp.concatenate([jnp.ones_like(truth[:, :1]), truth], axis=1)
    shares = inverse(h.T @ h) @ (h.T @ predicted)
    whole = truth.sum(axis=1)
    risk = ((predicted - whole[:, None]) ** 2).mean(axis=0) / (whole**2).mean()
    return {f"learned_{k}": shares[k] for k in DEGREES} | {"risk": risk}


@lru_cache(maxsize=64)
def known_spectrum(series: tuple[float, ...], law: str, dim: int) -> Spectrum:
    return spectrum(DotProduct(series), dim, law, degrees=len(series) - 1)  # type: ignore[arg-type]


@lru_cache(maxsize=4096)
def predicted(
    series: tuple[float, ...], law: str, dim: int, n: int, ridge: float, noise: float
) -> dict[str, float]:
    """The predicted curve at n: shares, and the error relative to E f*² = 1."""
    energies = dict.fromkeys(DEGREES, 1 / len(DEGREES))
    curve = learning_curve(known_spectrum(series, law, dim), n, ridge / n, noise, energies)
    return {f"learned_{k}": float(curve.learned[0, k]) for k in DEGREES} | {
        "risk": float(curve.risk[0])
    }


def measure_paths(cells: Sequence[Cell]) -> list[Outcome]:
    """The outcomes of a fleet: cells that differ in n alone share a path."""
    first = cells[0].parameters
    sizes = sorted({cell.parameters["n"] for cell in cells})
    owner = {_path_name(cell): cell for cell in cells}
    law = LAWS[first["law"]](first["d"])
    path = Path(law, jnp.asarray(sizes, jnp.int32), first["rows"], first["draws"])
    found = map_members(path, *_members(list(owner.values())), block=1, effort="little")
    table = {name: np.asarray(column) for name, column in found.items()}
    place = {name: i for i, name in enumerate(owner)}
    outcomes = []
    for cell in cells:
        at = place[_path_name(cell)], sizes.index(cell.parameters["n"])
        values = {name: float(column[at]) for name, column in table.items()}
        outcomes.append(Outcome(values=values | _predictions(cell)))
    return outcomes


def _path_name(cell: Cell) -> tuple[Any, ...]:
    return (*(cell.parameters[name] for name in ("kernel", "ridge", "noise")), cell.repetition)


def _members(cells: Sequence[Cell]) -> tuple[Any, ...]:
    """What differs from path to path: series, told, ridge, noise, keys."""
    names = [cell.parameters["kernel"] for cell in cells]
    series = jnp.asarray([SERIES[name] for name in names], jnp.float64)
    told = jnp.asarray([float(name == TOLD) for name in names], jnp.float64)
    ridge, noise = (
        jnp.asarray([cell.parameters[name] for cell in cells], jnp.float64)
        for name in ("ridge", "noise")
    )
    return series, told, ridge, noise, stacked_keys(cells)


def _predictions(cell: Cell) -> dict[str, float]:
    """Of the exponential kernel, which every kernel is compared with, and of another spectrum."""
    p = cell.parameters
    where = p["law"], p["d"], p["n"], p["ridge"], p["noise"]
    right, wrong = predicted(EXPONENTIAL, *where), predicted(WRONG, *where)
    return {f"predicted_{name}": value for name, value in right.items()} | {
        f"wrong_{name}": value for name, value in wrong.items() if name != "risk"
    }


def stacked_keys(cells: Sequence[Cell]) -> Keys:
    """Keys from (study, role, repetition) alone."""
    return Keys(
        *(
            jnp.stack([seeds.key(cell.study, role, cell.repetition) for cell in cells])
            for role in Keys._fields
        )
    )
