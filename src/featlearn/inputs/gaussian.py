"""x ~ N(μ, Σ)."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.decompositions import eigh
from featlearn.errors import InvalidInputError
from featlearn.inputs._base import GaussianPart, Inputs
from featlearn.inputs._checks import (
    check_count,
    check_finite,
    check_shape,
    default_float,
    traced,
)


class Gaussian(Inputs):
    """N(mean, covariance); N(0, I) unless said otherwise.

    `covariance` is (d, d), or (d,) for independent coordinates; it may be singular.

        x = μ + Σ^½ w,   w ~ N(0, I)
    """

    dim: int = eqx.field(static=True)
    location: Float[Array, "d"] | None
    root: Float[Array, "d *d"] | None  # Σ^½, symmetric; its diagonal if Σ is diagonal

    def __init__(self, dim: int, mean: Any = None, covariance: Any = None) -> None:
        self.dim = check_count("dim", dim)
        self.location = None if mean is None else _location(mean, self.dim)
        self.root = None if covariance is None else _root(covariance, self.dim)

    def sample(self, key: Key[Array, ""], n: int, dtype: Any = jnp.float32) -> Float[Array, "n d"]:
        x = jax.random.normal(key, (n, self.dim), dtype)
        if self.root is not None:
            root = self.root.astype(dtype)
            x = x * root if root.ndim == 1 else jnp.matmul(x, root, precision="highest")
        return x if self.location is None else x + self.location.astype(dtype)

    def mean(self) -> Float[Array, "d"]:
        return default_float(jnp.zeros(self.dim)) if self.location is None else self.location

    def covariance(self) -> Float[Array, "d d"]:
        if self.root is None:
            return default_float(jnp.eye(self.dim))
        root = jnp.diag(self.root) if self.root.ndim == 1 else self.root
        return jnp.matmul(root, root, precision="highest")

    @property
    def standard(self) -> bool:
        if traced(self.location, self.root):
            return False
        here = self.location is None or not np.any(np.asarray(self.location))
        return here and (
            self.root is None or np.allclose(np.asarray(self.covariance()), np.eye(self.dim))
        )

    def gaussian_parts(self) -> tuple[GaussianPart, ...]:
        return (GaussianPart(1.0, self.mean(), self.covariance()),)


def _location(mean: Any, dim: int) -> Array:
    check_shape("mean", mean, (dim,))
    check_finite("mean", mean)
    return default_float(mean)


def _root(covariance: Any, dim: int) -> Array:
    check_shape("covariance", covariance, (dim, dim), (dim,))
    check_finite("covariance", covariance)
    if not traced(covariance):
        _check_semidefinite(np.asarray(covariance, np.float64))
    covariance = default_float(covariance)
    if covariance.ndim == 1:
        return jnp.sqrt(covariance)
    values, vectors = eigh(covariance)
    scaled = vectors * jnp.sqrt(jnp.maximum(values, 0.0))
    return jnp.matmul(scaled, vectors.T, precision="highest")


def _check_semidefinite(covariance: np.ndarray) -> None:
    values = covariance
    scale = np.abs(covariance).max()
    if covariance.ndim == 2:
        if np.abs(covariance - covariance.T).max() > 1e-5 * scale:
            raise InvalidInputError(
                "covariance must be symmetric, and differs from its transpose by "
                f"{np.abs(covariance - covariance.T).max():.3g}. Give (C + Cᵀ)/2."
            )
        values = np.linalg.eigvalsh(covariance)
    if values.min() < -1e-5 * scale:
        raise InvalidInputError(
            f"covariance must be positive semidefinite, and its least eigenvalue is "
            f"{values.min():.3g}. Give C + εI with ε of at least that size, or AAᵀ."
        )
