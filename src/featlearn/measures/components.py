"""How much of each part of a target has been learned.

On S* = span U a target has the Hermite expansion f*(x) = Σ_a c*_a h_a(Uᵀx), h_a orthonormal
under x ~ N(0, I). Least squares of the predictions on the same functions gives c_a, and

    learned_k = Σ_{|a|=k} c_a c*_a / Σ_{|a|=k} c*_a²

is 1 where the part of degree k is learned exactly and 0 where nothing of it is. Predictions
that are not functions of Uᵀx enter the standard error only.
"""

from collections.abc import Callable
from itertools import product
from math import factorial

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.decompositions import inverse
from featlearn.errors import InvalidInputError
from featlearn.measures.estimates import Estimate, Predictor, Problem, over_draws, ratio_estimate
from featlearn.precision import double_inside


class DegreeParts(eqx.Module):
    """What is learned of each degree 0…p; NaN where the target has no part of that degree."""

    learned: Estimate  # of shape (p + 1,)
    energy: Float[Array, "p"]  # E (f*_k)²
    predicted_energy: Float[Array, "p"]  # E (f_k)² of the predictions' part on S*


def degree_parts(
    fit: Predictor,
    task: Problem,
    *,
    key: Key[Array, ""],
    n: int = 100_000,
    degree: int | None = None,
    basis: Float[Array, "d r"] | None = None,
) -> DegreeParts:
    """The learned share of each Hermite degree of a single- or multi-index target, x ~ N(0, I).

    `basis` spans S* and `degree` bounds the expansion; both are asked of the target by default.

    What it cannot tell: under another law of x the degrees are not orthogonal, and a share is
    then the coefficient of a joint regression.
    """
    if basis is None or degree is None:
        facts = task.target.facts(task.inputs)
        basis = facts.subspace if basis is None else basis
        degree = facts.degree if degree is None else degree
    if basis is None or degree is None:
        raise InvalidInputError(
            "This target declares no subspace or no degree: give basis= (d, r) and degree=."
        )
    return _degree_parts(fit, task, key, n, int(degree), jnp.asarray(basis))


@double_inside
@eqx.filter_jit
def _degree_parts(
    fit: Predictor, task: Problem, key: Array, n: int, degree: int, basis: Array
) -> DegreeParts:
    def at(x: Array) -> tuple[Array, Array, Array]:
        x = x.astype(jnp.float64)
        return x @ basis, fit(x).astype(jnp.float64), task.target(x).astype(jnp.float64)

    z, predicted, truth = over_draws(at, task.inputs, key, n)
    return parts_of_degrees(z, predicted, truth, degree)


def parts_of_degrees(
    z: Float[Array, "n r"], predicted: Float[Array, "n"], truth: Float[Array, "n"], degree: int
) -> DegreeParts:
    """`degree_parts` of arrays: z = Uᵀx, predictions and noiseless labels at the same points."""
    if predicted.ndim != 1 or truth.ndim != 1:
        raise InvalidInputError(
            "Parts of degrees are defined for one output: "
            f"got predictions {predicted.shape} and labels {truth.shape}."
        )
    indices = [a for a in product(range(degree + 1), repeat=z.shape[1]) if sum(a) <= degree]
    h = hermite_features(z, indices)
    members = jnp.asarray([[float(sum(a) == k) for a in indices] for k in range(degree + 1)])
    n = z.shape[0]
    inverse_gram = inverse(h.T @ h)
    coefficients = inverse_gram @ (h.T @ predicted)
    wanted = inverse_gram @ (h.T @ truth)
    energy = members @ wanted**2
    present = energy > 1e-12 * jnp.sum(energy)
    weights = members * wanted / jnp.where(present, energy, jnp.nan)[:, None]
    influence = n * (h * (predicted - h @ coefficients)[:, None]) @ inverse_gram @ weights.T
    learned = Estimate(
        weights @ coefficients, influence.std(0) / jnp.sqrt(n), jnp.asarray(n, jnp.int32)
    )
    return DegreeParts(learned, energy, members @ coefficients**2)


def hermite_features(z: Float[Array, "n r"], indices: list[tuple[int, ...]]) -> Float[Array, "n m"]:
    """Π_j He_{a_j}(z_j)/√a_j! for each multi-index a: orthonormal under z ~ N(0, I)."""
    table = jnp.stack(hermite_table(z, max(max(a) for a in indices)))
    which = np.asarray(indices)
    return jnp.prod(table[which, :, np.arange(z.shape[1])], axis=1).T


def hermite_table(z: Float[Array, "n r"], highest: int) -> list[Float[Array, "n r"]]:
    """He_k/√k! for k = 0 … highest."""
    tables = [jnp.ones_like(z), z]
    for k in range(1, highest):
        tables.append(z * tables[k] - k * tables[k - 1])
    return [t / factorial(k) ** 0.5 for k, t in enumerate(tables[: highest + 1])]


def projection(
    fit: Predictor,
    component: Callable[[Float[Array, "n d"]], Float[Array, "n"]],
    task: Problem,
    *,
    key: Key[Array, ""],
    n: int = 100_000,
) -> Estimate:
    """E[f h] / E[h²]: the coefficient of the predictions f on a given function h of x."""
    return _projection(fit, component, task, key, n)


@double_inside
@eqx.filter_jit
def _projection(
    fit: Predictor, component: Callable[[Array], Array], task: Problem, key: Array, n: int
) -> Estimate:
    def at(x: Array) -> tuple[Array, Array]:
        h = component(x.astype(jnp.float64))
        return fit(x).astype(jnp.float64) * h, h**2

    return ratio_estimate(*over_draws(at, task.inputs, key, n))
