"""Ridge for every λ from one decomposition, λ chosen on validation data, in float64.

    a(λ) = (HᵀH/n + λI)⁻¹ Hᵀy/n        features H (n, m): the m × m side   (primal)
    α(λ) = (K/n + λI)⁻¹ y/n            Gram matrix K (n, n): the n × n side (dual)

With K = HHᵀ both give the same predictions. Rows may carry weights 0 or 1, so that samples of
unequal size can share a shape: a row of weight 0 does not exist. A λ below the rounding of the
matrix is solved as if it were that rounding, see `_shifted`.
"""

from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from featlearn.kernels._shifted import Shifted, shifted

PENALTIES = tuple(float(v) for v in np.logspace(-10, 15, 100))


class Moments(NamedTuple):
    """Averages over rows that determine least squares: HᵀH/n, Hᵀy/n, yᵀy/n and n."""

    gram: Float[Array, "m m"]
    cross: Float[Array, "m k"]
    square: Float[Array, ""]
    count: Float[Array, ""]  # type: ignore[assignment]  # hides tuple.count, of no use here


class RidgePath(eqx.Module):
    """The chosen coefficients, and the validation error of every λ that was tried.

    penalty                the λ chosen, and `index` its place among `penalties`
    validation             the error of each λ; NaN where it was not computed
    grid_edge              −1: no smaller λ was tried, +1: no larger one, 0: inside
    effective_dimension    tr A(A + λI)⁻¹ at the λ chosen; A is HᵀH/n or K/n
    rounding               n ε |A|: a smaller λ was solved as if it were this one
    condition              at least the condition number of A + λI, see `condition_bound`
    details                what a solver adds to the record
    """

    coefficients: Float[Array, "m k"]
    penalty: Float[Array, ""]
    index: Int[Array, ""]
    penalties: Float[Array, "l"]
    validation: Float[Array, "l"]
    grid_edge: Int[Array, ""]
    effective_dimension: Float[Array, ""]
    rounding: Float[Array, ""]
    condition: Float[Array, ""]
    details: dict[str, Array] = eqx.field(default_factory=dict)

    def record(self) -> dict[str, Array]:
        """What a learner keeps of the choice of λ."""
        return {
            "penalty": self.penalty,
            "penalties": self.penalties,
            "validation": self.validation,
            "grid_edge": self.grid_edge,
            "effective_dimension": self.effective_dimension,
            "rounding": self.rounding,
            "condition": self.condition,
        } | self.details


def moments(h: Float[Array, "n m"], y: Float[Array, "n k"], weight: Float[Array, "n"]) -> Moments:
    """The sums of `h` and `y` over rows of weight 1 (divide by `count` with `average`)."""
    h, y = h.astype(jnp.float64), y.astype(jnp.float64)
    weighted = h * weight[:, None].astype(jnp.float64)
    return Moments(
        gram=h.T @ weighted,
        cross=weighted.T @ y,
        square=jnp.sum(weight[:, None] * y**2),
        count=jnp.sum(weight).astype(jnp.float64),
    )


def average(sums: Moments) -> Moments:
    """Turn sums over rows into averages."""
    count = jnp.maximum(sums.count, 1.0)
    return Moments(sums.gram / count, sums.cross / count, sums.square / count, sums.count)


def ridge_primal(
    train: Moments, validation: Moments, penalties: Float[Array, "l"] | tuple[float, ...]
) -> RidgePath:
    """Ridge on features, from the averages over training and validation rows."""
    lambdas = jnp.asarray(penalties, dtype=jnp.float64)
    factor = shifted(train.gram)
    path = factor.solve(train.cross, lambdas)
    errors = (
        jnp.einsum("lmk,lmk->l", path, jnp.einsum("mp,lpk->lmk", validation.gram, path))
        - 2 * jnp.einsum("lmk,mk->l", path, validation.cross)
        + validation.square
    )
    return _choose(factor, path, lambdas, jnp.maximum(errors, 0.0), factor.size)


def ridge_dual(
    gram: Float[Array, "n n"],
    y: Float[Array, "n k"],
    cross_gram: Float[Array, "v n"],
    y_validation: Float[Array, "v k"],
    penalties: Float[Array, "l"] | tuple[float, ...],
    weight: Float[Array, "n"] | None = None,
    weight_validation: Float[Array, "v"] | None = None,
) -> RidgePath:
    """Ridge on a Gram matrix. `cross_gram` is K(validation, training).

    Rows of weight 0 get coefficient 0.
    """
    lambdas = jnp.asarray(penalties, dtype=jnp.float64)
    w, v = weights(weight, gram.shape[0]), weights(weight_validation, y_validation.shape[0])
    n, n_v = jnp.maximum(w.sum(), 1.0), jnp.maximum(v.sum(), 1.0)
    factor = shifted(gram.astype(jnp.float64) * w[:, None] * (w / n)[None, :])
    # Rotations leave rounding, divided by λ, where a coefficient is 0.
    path = factor.solve(y.astype(jnp.float64) * (w / n)[:, None], lambdas) * w[:, None]
    shown = jnp.einsum("vn,lnk->lvk", cross_gram.astype(jnp.float64), path)
    errors = jnp.einsum("lvk,v->l", (shown - y_validation) ** 2, v) / n_v
    return _choose(factor, path, lambdas, errors, w.sum())


def weights(weight: Array | None, n: int) -> Float[Array, "n"]:
    return jnp.ones(n, jnp.float64) if weight is None else weight.astype(jnp.float64)


def least(errors: Float[Array, "l"]) -> Int[Array, ""]:
    """Where the smallest number is, of those that are finite."""
    return jnp.argmin(jnp.where(jnp.isfinite(errors), errors, jnp.inf))


def condition_bound(
    norm: Float[Array, ""],
    shift: Float[Array, ""],
    size: Float[Array, ""] | int,
    effective_dimension: Float[Array, ""],
) -> Float[Array, ""]:
    """(|A| + λ) |(A + λI)⁻¹|, at most (|A| + λ) min(1/λ, tr (A + λI)⁻¹).

    The trace is (n − tr A(A + λI)⁻¹)/λ.
    """
    return (norm + shift) / shift * jnp.clip(size - effective_dimension, 0.0, 1.0)


def _choose(
    factor: Shifted, path: Array, lambdas: Array, errors: Array, size: Array | int
) -> RidgePath:
    index = least(errors)
    last = lambdas.shape[0] - 1
    used = factor.effective_dimension(lambdas[index])
    shift = factor.floored(lambdas[index])
    return RidgePath(
        coefficients=path[index],
        penalty=lambdas[index],
        index=index,
        penalties=lambdas,
        validation=errors,
        grid_edge=jnp.where(index == 0, -1, jnp.where(index == last, 1, 0)),
        effective_dimension=used,
        rounding=factor.rounding(),
        condition=condition_bound(factor.norm(), shift, size, used),
    )
