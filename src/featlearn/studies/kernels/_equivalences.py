"""The same function by two ways: how far apart their predictions are, and those of wrong ways.

    inputs      kernel ridge with ⟨x, y⟩/d + 1        ridge on (x/√d, 1)
    features    ridge on φ(x)                          kernel ridge with ⟨φ(x), φ(y)⟩
    tangent     argmin mean |y − f_δ(x)|² + λ|δ|²      f_0, and kernel ridge with its NTK on y − f_0
    solvers     one decomposition for all λ            Cholesky; conjugate gradients
    path        (K/n + λI)⁻¹ y/n with K = HHᵀ          (HᵀH/n + λI)⁻¹ Hᵀy/n, for every λ

A difference is |f − g|/|g| over fresh points, in norms of Euclid.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn import seeds
from featlearn.engine import Cell, Outcome
from featlearn.inputs import Gaussian
from featlearn.kernels import (
    NTK,
    Iterations,
    Kernel,
    Polynomial,
    RandomMap,
    empirical_ntk,
    random_features,
    ridge_dual,
    ridge_primal,
)
from featlearn.kernels.ridge import average, moments
from featlearn.learners import KernelRidge, RandomFeatures, tangent_model
from featlearn.samples import Sample
from featlearn.studies._fleets import outcomes
from featlearn.targets import single_index
from featlearn.tasks import Task

TEACHER = {1: 0.6, 2: 0.5}  # Hermite coefficients, so that no kernel here is without work
CONSTANT = 1.0
NOISE = 0.3
BIAS = 0.5  # σ_b² of the networks; σ_w² is 2
TIGHT, LOOSE = 1e-10, 1e-2  # relative residuals at which conjugate gradients stop
LARGEST, TRIED = 1e3, 13  # of the λ of a path

Values = dict[str, Float[Array, ""]]


class Keys(NamedTuple):
    """Separate streams: another network changes nobody's sample."""

    teacher: Key[Array, ""]
    data: Key[Array, ""]
    start: Key[Array, ""]
    test: Key[Array, ""]


class Problem(NamedTuple):
    """A sample, the rows of it that learners train on, and fresh points."""

    sample: Sample
    new: Float[Array, "q d"]
    penalty: float
    width: int

    @property
    def train(self) -> Sample:
        """Learners hold the last fifth out."""
        n = self.sample.n - self.sample.n // 5
        return Sample(self.sample.x[:n], self.sample.y[:n].astype(jnp.float64))

    @property
    def held_out(self) -> Sample:
        n = self.train.n
        return Sample(self.sample.x[n:], self.sample.y[n:].astype(jnp.float64))

    def by_kernel(self, kernel: Kernel, y: Array | None = None, **how: Any) -> Float[Array, "q *k"]:
        """What kernel ridge at λ predicts."""
        learner = KernelRidge(kernel, penalties=(how.pop("penalty", self.penalty),), **how)
        sample = self.sample if y is None else Sample(self.sample.x, y)
        return learner.fit_arrays(sample, jax.random.key(0))(self.new)


class OfFeatures(Kernel):
    """K(x, y) = ⟨φ(x), φ(y)⟩."""

    map: RandomMap

    def between(self, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return self.map(x) @ self.map(y).T

    def at(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        return jnp.sum(self.map(x) ** 2, axis=1)


def inputs(problem: Problem, key: Key[Array, ""]) -> Values:
    """The linear kernel; without its intercept, and with λ in the place of nλ."""
    train, dim = problem.train, problem.sample.dim

    def rows(x: Float[Array, "n d"], constant: float) -> Float[Array, "n d+1"]:
        x = x.astype(jnp.float64) / jnp.sqrt(dim)
        return jnp.concatenate([x, jnp.full((x.shape[0], 1), constant)], axis=1)

    def by_ridge(constant: float) -> Float[Array, "q"]:
        known = summed(rows(train.x, constant), train.y)
        found = ridge_primal(known, known, (problem.penalty,)).coefficients
        return rows(problem.new, constant) @ found[:, 0]

    found = problem.by_kernel(Polynomial(1, 1.0))
    other = problem.by_kernel(Polynomial(1, 1.0), penalty=problem.penalty / train.n)
    right, without = by_ridge(1.0), by_ridge(0.0)
    return {
        "inputs": apart(found, right),
        "no_intercept": apart(found, without),
        "other_convention": apart(other, right),
    }


def features(problem: Problem, key: Key[Array, ""]) -> Values:
    """Random features of the NTK; their own kernel, and that of another draw of them."""
    limit, dim = NTK(1, bias_variance=BIAS), problem.sample.dim
    learner = RandomFeatures(problem.width, limit, penalties=(problem.penalty,))
    fit: Any = learner.fit_arrays(problem.sample, key)
    other = random_features(limit, problem.width, jax.random.fold_in(key, 1), dim=dim)

    def by_kernel(phi: RandomMap) -> Float[Array, "q"]:
        return problem.by_kernel(OfFeatures(phi))

    found, (own, wrong) = fit(problem.new), of_each(by_kernel, fit.map, other)
    return {"features": apart(found, own), "other_features": apart(found, wrong)}


def tangent(problem: Problem, key: Key[Array, ""]) -> Values:
    """A network's tangent model; its own NTK, that of another draw of it, and no start."""
    params, other = (
        draw(each, problem.sample.dim, problem.width) for each in jax.random.split(key)
    )
    model = tangent_model(network, params).solve_arrays(problem.train, problem.penalty)
    f_0, known = (network(params, x.astype(jnp.float64)) for x in (problem.new, problem.sample.x))
    y = jnp.stack([problem.sample.y - known, problem.sample.y], axis=1)

    def by_kernel(params: Any) -> Float[Array, "q 2"]:
        return problem.by_kernel(empirical_ntk(network, params), y)

    found, (own, wrong) = model(problem.new), of_each(by_kernel, params, other)
    return {
        "tangent": apart(found, f_0 + own[:, 0]),
        "other_network": apart(found, f_0 + wrong[:, 0]),
        "no_start": apart(found, own[:, 1]),
    }


def of_each(function: Callable[[Any], Array], *trees: Any) -> Array:
    """The function of each, in turn, from one piece of program."""
    return jax.lax.map(function, jax.tree.map(lambda *leaf: jnp.stack(leaf), *trees))


def solvers(problem: Problem, key: Key[Array, ""]) -> Values:
    """One kernel by each solver; conjugate gradients also stopped early."""
    kernel = NTK(1, bias_variance=BIAS)
    exact = problem.by_kernel(kernel, solver="exact")

    def iterated(tolerance: Float[Array, ""]) -> Float[Array, "q"]:
        how = eqx.tree_at(lambda i: i.tolerance, Iterations(), tolerance)
        return problem.by_kernel(kernel, solver="iterative", iterations=how)

    tight, loose = jax.lax.map(iterated, jnp.asarray([TIGHT, LOOSE], jnp.float64))
    return {
        "cholesky": apart(problem.by_kernel(kernel, solver="cholesky"), exact),
        "iterative": apart(tight, exact),
        "stopped_early": apart(loose, exact),
    }


def path(problem: Problem, key: Key[Array, ""]) -> Values:
    """The validation error of every λ on random features, and which λ is chosen."""
    train, held = problem.train, problem.held_out
    limit = NTK(1, bias_variance=BIAS)
    phi = random_features(limit, problem.width, key, dim=problem.sample.dim)
    h, h_held = (phi(each.x.astype(jnp.float64)) for each in (train, held))
    grid = jnp.geomspace(problem.penalty, LARGEST, TRIED, dtype=jnp.float64)
    primal = ridge_primal(summed(h, train.y), summed(h_held, held.y), grid)

    def dual(scale: Float[Array, ""]) -> tuple[Array, Array]:
        columns = (train.y[:, None], h_held @ h.T, held.y[:, None])
        found = ridge_dual(h @ h.T, *columns, grid * scale)
        return found.validation, found.index

    (right, other), (index, _) = jax.lax.map(dual, jnp.asarray([1.0, 1 / train.n], jnp.float64))
    return {
        "path": jnp.max(jnp.abs(right - primal.validation) / primal.validation),
        "path_other_convention": jnp.max(jnp.abs(other - primal.validation) / primal.validation),
        "same_choice": (index == primal.index).astype(jnp.float64),
    }


COMPARED: dict[str, Callable[[Problem, Array], Values]] = {
    "inputs": inputs,
    "features": features,
    "tangent": tangent,
    "solvers": solvers,
    "path": path,
}


class Experiment(eqx.Module):
    """One comparison on a sample of n rows, on `draws` fresh points."""

    compared: str = eqx.field(static=True)
    n: int = eqx.field(static=True)
    dim: int = eqx.field(static=True)
    width: int = eqx.field(static=True)
    penalty: float = eqx.field(static=True)
    draws: int = eqx.field(static=True)

    def __call__(self, keys: Keys) -> Values:
        target = single_index(TEACHER, self.dim, key=keys.teacher)
        sample = Task(Gaussian(self.dim), target, NOISE).sample(keys.data, self.n)
        shifted = Sample(sample.x, sample.y + CONSTANT)
        new = Gaussian(self.dim).sample(keys.test, self.draws)
        return COMPARED[self.compared](Problem(shifted, new, self.penalty, self.width), keys.start)


def draw(key: Key[Array, ""], dim: int, width: int) -> dict[str, Array]:
    """Weights and biases of a network with one hidden layer, N(0, 1)."""
    shapes = {"w": (dim, width), "b": (width,), "a": (width,), "c": ()}
    keys = jax.random.split(key, len(shapes))
    return {
        name: jax.random.normal(each, form, jnp.float64)
        for each, (name, form) in zip(keys, shapes.items(), strict=True)
    }


def network(params: dict[str, Array], x: Float[Array, "n d"]) -> Float[Array, "n"]:
    """f of `NTK`, at depth 1."""
    dim, width = params["w"].shape
    shift = jnp.sqrt(BIAS)
    h = jax.nn.relu(jnp.sqrt(2 / dim) * x @ params["w"] + shift * params["b"])
    return jnp.sqrt(2 / width) * h @ params["a"] + shift * params["c"]


def summed(h: Float[Array, "n m"], y: Float[Array, "n"]) -> Any:
    """The averages that ridge on h needs."""
    return average(moments(h, y[:, None], jnp.ones(h.shape[0])))


def apart(found: Float[Array, "q"], right: Float[Array, "q"]) -> Float[Array, ""]:
    """|f − g|/|g|."""
    return jnp.linalg.norm(found - right) / jnp.linalg.norm(right)


def measure_cells(cells: Sequence[Cell]) -> list[Outcome]:
    """The outcomes of a fleet, in the order of its cells."""
    first: Any = cells[0].parameters
    experiment = Experiment(
        compared=first["compared"],
        n=first["n"],
        dim=first["d"],
        width=first["width"],
        penalty=first["penalty"],
        draws=first["draws"],
    )
    keys = (
        jnp.stack([seeds.key(cell.study, role, cell.repetition) for cell in cells])
        for role in Keys._fields
    )
    return outcomes(experiment, Keys(*keys))
