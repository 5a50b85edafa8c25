"""Gaussian noise on the gradient, shaped like that of SGD.

    ξ_{v_i} ~ N(0, E h(x) h(x)ᵀ),  h = σ(W(x, 1))          ξ_{w_i} ~ N(0, E (x, 1)(x, 1)ᵀ)

independent for every neuron i. Over n rows, Σ_s z_s h(x_s)/√n with z_s ~ N(0, 1) has covariance
mean h hᵀ: no covariance is ever formed. Rows are those of the step's batch, whose mean of h hᵀ
is the expectation on average.
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.learners._layered import Weights, with_one

ROUNDING = 1e-5


class StructuredNoise(eqx.Module):
    """The noise of the large-learning-rate variant, `scale` times as strong.

    covariance   of the noise on each row of W, (d+1, d+1) for x with its constant 1, in the place
                 of E (x, 1)(x, 1)ᵀ over the batch
    """

    scale: Float[Array, ""] | float
    root: Float[Array, "d d"] | None  # of `covariance`

    def __init__(self, scale: Any = 1.0, covariance: Any = None) -> None:
        if isinstance(scale, int | float) and not 0 <= scale < float("inf"):
            raise InvalidInputError(
                f"The scale of the noise must be finite and at least 0, got {scale}."
            )
        self.scale = scale
        self.root = None if covariance is None else _root(covariance)

    def __call__(
        self,
        key: Key[Array, ""],
        hidden: Float[Array, "n m"],
        x: Float[Array, "n d"],
        like: Weights,
    ) -> Weights:
        """Noise for W and V, zero for the others."""
        v_key, w_key = jax.random.split(key)
        drawn = {name: jnp.zeros_like(value) for name, value in like.items()}
        if "V" in like:
            drawn["V"] = self._along(v_key, like["V"].shape[0], hidden)
        if "W" in like and self.root is None:
            drawn["W"] = self._along(w_key, like["W"].shape[0], with_one(x))
        elif "W" in like and self.root is not None:
            z = jax.random.normal(w_key, like["W"].shape, jnp.float32)
            drawn["W"] = self._scaled(jnp.matmul(z, self.root.astype(jnp.float32).T))
        return drawn

    def _along(self, key: Key[Array, ""], rows: int, seen: Float[Array, "n m"]) -> Array:
        n = seen.shape[0]
        z = jax.random.normal(key, (rows, n), jnp.float32)
        return self._scaled(z @ seen / jnp.float32(n**0.5))

    def _scaled(self, noise: Array) -> Array:
        return jnp.asarray(self.scale).astype(noise.dtype) * noise


def _root(covariance: Any) -> Float[Array, "d d"]:
    """A square root of a covariance, refused unless it is one."""
    c = np.asarray(covariance, np.float64)
    if c.ndim != 2 or c.shape[0] != c.shape[1] or not np.isfinite(c).all():
        raise InvalidInputError(
            f"covariance must be a square matrix of finite numbers, got shape {c.shape}."
        )
    values, vectors = np.linalg.eigh((c + c.T) / 2)
    scale = max(np.abs(values).max(), np.finfo(float).tiny)
    if values.min() < -ROUNDING * scale or np.abs(c - c.T).max() > ROUNDING * scale:
        raise InvalidInputError(
            "covariance must be symmetric and positive semidefinite, and its least eigenvalue is "
            f"{values.min():.3g}. Give AAᵀ of some A."
        )
    return jnp.asarray(vectors * np.sqrt(np.maximum(values, 0.0)), jnp.float32)
