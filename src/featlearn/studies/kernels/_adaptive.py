"""One cell of `kernels/adaptive-beats-fixed`: draw a target and a sample, fit, measure.

    f*(x) = Σ_j a_j He_2(z_j)/√2 + b_j He_p(z_j)/√p!,    z = Uᵀx,  U a random rotation

    single index   a = b = (1/√2, 0, …, 0)                S* = span u_1; He_2/2 + He_p/√(2 p!)
    isotropic      a_j = ±1/√(2d) in turns, b_j = 1/√(2d)  E ∇f* ∇f*ᵀ ∝ I: no S*

Both have energy ½ in degree 2 and ½ in degree p, and one program serves both.
"""

from collections.abc import Callable, Sequence
from math import factorial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn import kernels, learners, seeds
from featlearn.decompositions import inverse, qr
from featlearn.engine import Cell, Outcome
from featlearn.fleet import map_members
from featlearn.inputs import Gaussian
from featlearn.measures.estimates import over_draws
from featlearn.samples import Sample
from featlearn.studies.kernels._learners import MACHINE, SINGLE, fits_each
from featlearn.targets.hermite import table


class Keys(NamedTuple):
    """Separate streams: another learner, or more noise, changes nobody's sample."""

    teacher: Key[Array, ""]
    data: Key[Array, ""]
    noise: Key[Array, ""]
    start: Key[Array, ""]
    test: Key[Array, ""]


class Weights(NamedTuple):
    """a_j and b_j."""

    low: Float[Array, "d"]
    high: Float[Array, "d"]


class Attempt(eqx.Module):
    """A learner on n samples of a target, measured on `draws` fresh points."""

    learner: Any
    dim: int = eqx.field(static=True)
    degree: int = eqx.field(static=True)
    n: int = eqx.field(static=True)
    draws: int = eqx.field(static=True)

    def __call__(
        self,
        weights: Weights,
        told: Float[Array, ""],
        noise: Float[Array, ""],
        keys: Keys,
    ) -> dict[str, Float[Array, ""]]:
        law = Gaussian(self.dim)
        basis = qr(jax.random.normal(keys.teacher, (self.dim, self.dim), jnp.float64))[0]
        metric = told_metric(basis[:, 0], told)
        x = law.sample(keys.data, self.n).astype(jnp.float64)
        sign = jax.random.rademacher(keys.noise, (self.n,), jnp.float32)
        y = parts(x @ basis, weights, self.degree).sum(axis=1) + noise * sign
        fit = self.learner.fit_arrays(Sample(x @ metric, y), keys.start)

        def at(fresh: Array) -> tuple[Array, Array]:
            fresh = fresh.astype(jnp.float64)
            return fit(fresh @ metric), parts(fresh @ basis, weights, self.degree)

        predicted, truth = over_draws(at, law, keys.test, self.draws)
        values = measured(predicted.astype(jnp.float64), truth) | _choice(fit)
        return values | (_learned_metric(fit, basis[:, 0]) if hasattr(fit, "root") else {})


def parts(z: Float[Array, "n d"], weights: Weights, degree: int) -> Float[Array, "n 2"]:
    """The parts of degree 2 and p at each point."""
    he = table(z, degree)
    low = he[2] @ weights.low / 2**0.5
    return jnp.stack([low, he[degree] @ weights.high / factorial(degree) ** 0.5], axis=1)


def told_metric(direction: Float[Array, "d"], told: Float[Array, ""]) -> Float[Array, "d d"]:
    """What points are multiplied with: I, or √d u uᵀ for a learner that is told the direction."""
    dim = direction.shape[0]
    line = dim**0.5 * jnp.outer(direction, direction)
    return (1 - told) * jnp.eye(dim) + told * line


def measured(
    predicted: Float[Array, "m"], truth: Float[Array, "m 2"]
) -> dict[str, Float[Array, ""]]:
    """The error relative to E f*² on the same draws, and the learned share of each part."""
    whole = truth.sum(axis=1)
    h = jnp.concatenate([jnp.ones_like(truth[:, :1]), truth], axis=1)
    shares = inverse(h.T @ h) @ (h.T @ predicted)
    return {
        "risk": jnp.mean((predicted - whole) ** 2) / jnp.mean(whole**2),
        "learned_low": shares[1],
        "learned_high": shares[2],
    }


def _choice(fit: Any) -> dict[str, Float[Array, ""]]:
    """Which λ and which candidate was chosen, and whether λ lies at the edge of its grid."""
    record = fit.record
    return {
        "penalty": record["penalty"],
        "candidate": record["candidate"].astype(jnp.float64),
        "grid_edge": record["grid_edge"].astype(jnp.float64),
    }


def _learned_metric(fit: Any, direction: Float[Array, "d"]) -> dict[str, Float[Array, ""]]:
    """Of M and of G: their energy along u_1; validation errors by round, relative to round 0."""
    metric, product = fit.root @ fit.root.T, fit.outer_product
    errors = fit.record["round_errors"]
    return {
        "metric_inside": direction @ metric @ direction / jnp.trace(metric),
        "gradients_inside": direction @ product @ direction / jnp.trace(product),
        "round": fit.record["round"].astype(jnp.float64),
        **{f"round_{r}": errors[r] / errors[0] for r in range(errors.shape[0])},
    }


def make_learner(parameters: Any) -> Any:
    """The learner that a cell names; each has as many fits as the machine, and the same λ."""
    count = fits_each(parameters)
    common: dict[str, Any] = {
        "penalties": tuple(float(v) for v in np.logspace(-11, 4, parameters["penalties"])),
        "solver": parameters["solver"],
    }
    widths, biases = np.geomspace(0.5, 32.0, count), np.geomspace(0.03, 5.0, count)
    degree = parameters["p"]
    made: dict[str, Callable[[], Any]] = {
        MACHINE: lambda: learners.GradientOuterProduct(
            parameters["rounds"], bandwidths=tuple(parameters["bandwidths"]), **common
        ),
        "RBF": lambda: learners.KernelRidge([kernels.RBF(h) for h in widths], **common),
        "Laplace": lambda: learners.KernelRidge([kernels.Laplace(h) for h in widths], **common),
        "NTK": lambda: learners.KernelRidge(
            [kernels.NTK(1, bias_variance=b) for b in biases], **common
        ),
        "polynomial": lambda: learners.KernelRidge(
            [kernels.Polynomial(degree, offset=c) for c in biases], **common
        ),
    }
    return made[parameters["learner"]]()


def weights_of(target: str, dim: int) -> Weights:
    """a and b of a target by name."""
    if target == SINGLE:
        first = np.eye(dim)[0] / 2**0.5
        return Weights(jnp.asarray(first), jnp.asarray(first))
    turns = (-1.0) ** np.arange(dim)
    return Weights(jnp.asarray(turns / (2 * dim) ** 0.5), jnp.full(dim, (2 * dim) ** -0.5))


def measure_attempts(cells: Sequence[Cell]) -> list[Outcome]:
    """The outcomes of a fleet, in the order of its cells."""
    first = cells[0].parameters
    attempt = Attempt(make_learner(first), first["d"], first["p"], first["n"], first["draws"])
    each = [weights_of(cell.parameters["target"], first["d"]) for cell in cells]
    weights = jax.tree.map(lambda *leaves: jnp.stack(leaves), *each)
    told, noise = (
        jnp.asarray([cell.parameters[name] for cell in cells], jnp.float64)
        for name in ("told", "noise")
    )
    found = map_members(
        attempt, weights, told, noise, stacked_keys(cells), block=1, effort="little"
    )
    columns = {name: np.asarray(column) for name, column in found.items()}
    return [
        Outcome(values={name: float(column[i]) for name, column in columns.items()})
        for i in range(len(cells))
    ]


def stacked_keys(cells: Sequence[Cell]) -> Keys:
    """Keys from (study, role, repetition) alone."""
    return Keys(
        *(
            jnp.stack([seeds.key(cell.study, role, cell.repetition) for cell in cells])
            for role in Keys._fields
        )
    )
