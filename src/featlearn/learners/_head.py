"""The last layer: ridge on fixed features, and the same by literal gradient descent."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.kernels.ridge import (
    Moments,
    RidgePath,
    average,
    moments,
    ridge_dual,
    ridge_primal,
)
from featlearn.learners._rows import sum_over_rows

Features = Callable[[Float[Array, "n d"]], Float[Array, "n m"]]


class HeadData(eqx.Module):
    """What a head is fitted on: inputs, labels (n, k), weights of training and validation rows."""

    x: Float[Array, "n d"]
    y: Float[Array, "n k"]
    train: Float[Array, "n"]
    validate: Float[Array, "n"]


def ridge_head(
    features: Features, width: int, data: HeadData, penalties: tuple[float, ...]
) -> RidgePath:
    """Ridge on `features`, λ chosen on the validation rows; coefficients have shape (m, k).

    The n × n side is decomposed when there are fewer rows than half the features.
    """
    if 2 * data.x.shape[0] < width:
        return _head_by_rows(features, data, penalties)
    train, validation = head_moments(features, width, data)
    return ridge_primal(train, validation, penalties)


def head_moments(features: Features, width: int, data: HeadData) -> tuple[Moments, Moments]:
    """HᵀH/n and its companions over the training rows and over the validation rows."""

    def sums(x: Array, y: Array, train: Array, validate: Array) -> tuple[Moments, Moments]:
        h = features(x)
        return moments(h, y, train), moments(h, y, validate)

    arrays = (data.x, data.y, data.train, data.validate)
    train, validation = sum_over_rows(sums, arrays, row_cost=3 * width)
    return average(train), average(validation)


def _head_by_rows(features: Features, data: HeadData, penalties: tuple[float, ...]) -> RidgePath:
    h = features(data.x).astype(jnp.float64)
    gram = h @ h.T
    path = ridge_dual(gram, data.y, gram, data.y, penalties, data.train, data.validate)
    weighted = path.coefficients * data.train[:, None]
    return eqx.tree_at(lambda p: p.coefficients, path, h.T @ weighted)


def gradient_head(
    train: Moments,
    penalty: Float[Array, ""],
    start: Float[Array, "m k"],
    steps: int,
    tolerance: float = 1e-10,
) -> tuple[Float[Array, "m k"], Float[Array, ""], Float[Array, ""]]:
    """a ← a − η(∇L(a) + 2λa) with L(a) = mean (Ha − y)², until it stands still or `steps`.

    On fixed features the full-batch gradient is 2(HᵀH/n·a − Hᵀy/n), so each step costs m²k. Its
    limit is ridge with penalty λ. Returns a, the relative residual, and the steps taken.
    """
    largest = jnp.linalg.eigvalsh(train.gram)[-1]
    rate = 0.5 / (largest + penalty)
    scale = jnp.maximum(jnp.linalg.norm(train.cross), 1e-300)

    def half_gradient(a: Array) -> Array:
        return train.gram @ a + penalty * a - train.cross

    def moving(state: tuple[Array, Array]) -> Array:
        a, step = state
        return (step < steps) & (jnp.linalg.norm(half_gradient(a)) > tolerance * scale)

    def descend(state: tuple[Array, Array]) -> tuple[Array, Array]:
        a, step = state
        return a - rate * 2 * half_gradient(a), step + 1

    a, taken = jax.lax.while_loop(moving, descend, (start.astype(jnp.float64), jnp.asarray(0)))
    return a, jnp.linalg.norm(half_gradient(a)) / scale, taken
