"""Linear measurements of a matrix, y_i = ⟨A_i, M⟩, and what recovering M from them gives."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from featlearn.decompositions import eigh, eigvalsh
from featlearn.errors import InvalidInputError


class Measurements(eqx.Module):
    """`matrices` A_i (n, p, q) and `labels` y_i (n,).

    In a fleet, measurements of unequal number travel padded to one shape; `count` then says how
    many leading ones are real. Outside a fleet it is None and every one counts.
    """

    matrices: Float[Array, "n p q"]
    labels: Float[Array, "n"]
    count: Int[Array, ""] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """The rows and columns of M."""
        return (self.matrices.shape[1], self.matrices.shape[2])

    @property
    def number(self) -> Any:
        """How many measurements are real."""
        return self.matrices.shape[0] if self.count is None else self.count

    def flat(self, dtype: Any) -> tuple[Float[Array, "n pq"], Float[Array, "n"]]:
        """The A_i as rows, and the labels; what is padded is 0."""
        n = self.matrices.shape[0]
        rows = self.matrices.reshape(n, -1).astype(dtype)
        labels = self.labels.astype(dtype)
        if self.count is None:
            return rows, labels
        real = jnp.arange(n) < self.count
        return jnp.where(real[:, None], rows, 0), jnp.where(real, labels, 0)


class Recovered(eqx.Module):
    """The matrix found; `record` says how it came about."""

    matrix: Float[Array, "p q"]
    record: dict[str, Any]

    def __call__(self, matrices: Float[Array, "n p q"]) -> Float[Array, "n"]:
        """⟨A_i, M⟩ of other matrices."""
        return jnp.einsum("npq,pq->n", matrices.astype(self.matrix.dtype), self.matrix)


def check_measurements(matrices: Any, labels: Any) -> Measurements:
    """Refuse shapes and values from which no matrix can be recovered."""
    shape, outputs = np.shape(matrices), np.shape(labels)
    if len(shape) != 3 or min(shape) < 1 or outputs != shape[:1]:
        raise InvalidInputError(
            f"Measurements are matrices of shape (n, p, q) with labels (n,), got {shape} and "
            f"{outputs}."
        )
    for name, values in (("matrices", matrices), ("labels", labels)):
        if not np.isfinite(np.asarray(values)).all():
            raise InvalidInputError(f"{name} has values that are NaN or infinite: remove them.")
    if not np.any(np.asarray(labels)):
        raise InvalidInputError("Every label is 0, and so is the matrix: nothing is to be found.")
    return Measurements(jnp.asarray(matrices), jnp.asarray(labels))


def spectral_norm(matrix: Float[Array, "p q"]) -> Float[Array, ""]:
    """The largest singular value, from the smaller of the two Gram matrices."""
    return jnp.sqrt(jnp.maximum(eigvalsh(_small_gram(matrix))[-1], 0.0))


def nuclear_sum(matrix: Float[Array, "p q"]) -> Float[Array, ""]:
    """‖M‖_*, the sum of the singular values."""
    return jnp.sum(jnp.sqrt(jnp.maximum(eigvalsh(_small_gram(matrix)), 0.0)))


def shrink(matrix: Float[Array, "p q"], by: Float[Array, ""]) -> Float[Array, "p q"]:
    """Every singular value σ becomes max(σ − by, 0): the proximal map of by·‖·‖_*."""
    values, vectors = eigh(_small_gram(matrix))
    sizes = jnp.sqrt(jnp.maximum(values, 0.0))
    kept = sizes > by
    factor = jnp.where(kept, 1 - by / jnp.where(kept, sizes, 1.0), 0.0)
    scaled = (vectors * factor) @ vectors.T
    return scaled @ matrix if _is_wide(matrix) else matrix @ scaled


def _small_gram(matrix: Array) -> Array:
    return matrix @ matrix.T if _is_wide(matrix) else matrix.T @ matrix


def _is_wide(matrix: Array) -> bool:
    return matrix.shape[0] <= matrix.shape[1]
