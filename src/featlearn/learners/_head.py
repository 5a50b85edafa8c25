"""The last layer: ridge on fixed features, and the same by literal gradient descent."""

from collections.abc import Callable
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.decompositions import eigvalsh
from featlearn.errors import InvalidInputError
from featlearn.kernels.ridge import (
    PENALTIES,
    Moments,
    RidgePath,
    average,
    moments,
    ridge_dual,
    ridge_primal,
)
from featlearn.learners._rows import sum_over_rows
from featlearn.learners._split import Rows, Split

Features = Callable[[Float[Array, "n d"]], Float[Array, "n m"]]


class HeadRule(eqx.Module):
    """How a head is fitted on fixed features.

    kind        "ridge", or "gradient": literal gradient descent with weight decay 2λ, at the λ
                that ridge chose, for at most `steps` steps
    penalties   the candidates for λ
    """

    kind: Literal["ridge", "gradient"] = eqx.field(static=True, default="ridge")
    penalties: tuple[float, ...] = eqx.field(static=True, default=PENALTIES)
    steps: int = eqx.field(static=True, default=200_000)

    def __check_init__(self) -> None:
        if self.kind not in ("ridge", "gradient"):
            raise InvalidInputError(f"head must be 'ridge' or 'gradient', got {self.kind!r}.")
        check_penalties(self.penalties)
        if self.steps < 1:
            raise InvalidInputError(f"A head needs at least 1 gradient step, got {self.steps}.")

    def fit(
        self, features: Features, split: Split, start: Float[Array, "m k"]
    ) -> tuple[Float[Array, "m k"], dict[str, Any]]:
        """Head weights (m, k) and what happened; descent starts from `start`."""
        if self.kind == "ridge":
            path = ridge_head(features, start.shape[0], split, self.penalties)
            return path.coefficients, path.record()
        train, validate = head_moments(features, start.shape[0], split)
        path = ridge_primal(train, validate, self.penalties)
        a, residual, taken = gradient_head(train, path.penalty, start, self.steps)
        return a, path.record() | {"head_residual": residual, "head_steps": taken}


def check_penalties(penalties: tuple[float, ...]) -> tuple[float, ...]:
    """A grid of λ as a tuple of floats, refused unless each is positive and finite."""
    try:
        grid = tuple(float(value) for value in penalties)
    except (TypeError, ValueError):
        grid = ()
    if not grid or not all(0 < value < float("inf") for value in grid):
        raise InvalidInputError(
            f"penalties must be a non-empty tuple of positive numbers, got {penalties!r}."
        )
    return grid


def ridge_head(
    features: Features, width: int, split: Split, penalties: tuple[float, ...]
) -> RidgePath:
    """Ridge on `features`, λ chosen on the validation rows; coefficients have shape (m, k).

    The n × n side is decomposed when there are fewer training rows than half the features.
    """
    if 2 * split.train.x.shape[0] < width:
        return _head_by_rows(features, split, penalties)
    return ridge_primal(*head_moments(features, width, split), penalties)


def head_moments(features: Features, width: int, split: Split) -> tuple[Moments, Moments]:
    """HᵀH/n and its companions over the training rows and over the validation rows."""

    def sums(x: Array, y: Array, weight: Array) -> Moments:
        return moments(features(x), y, weight)

    def averages(rows: Rows) -> Moments:
        return average(sum_over_rows(sums, rows, row_cost=3 * width, number=rows.number))

    return averages(split.train), averages(split.validate)


def _head_by_rows(features: Features, split: Split, penalties: tuple[float, ...]) -> RidgePath:
    train, validate = split
    h = features(train.x).astype(jnp.float64)
    cross = features(validate.x).astype(jnp.float64) @ h.T
    weights = (train.weight, validate.weight)
    path = ridge_dual(h @ h.T, train.y, cross, validate.y, penalties, *weights)
    weighted = path.coefficients * train.weight[:, None]
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
    largest = eigvalsh(train.gram)[-1]
    rate = 0.5 / (largest + penalty)
    scale = jnp.maximum(jnp.linalg.norm(train.cross), jnp.finfo(jnp.float64).tiny)

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
