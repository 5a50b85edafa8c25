"""Random orthonormal columns, and random matrices with given singular values."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.decompositions import qr
from featlearn.inputs._checks import default_float


@partial(jax.jit, static_argnums=(1, 2))
def frame(key: Key[Array, ""], dim: int, r: int) -> Float[Array, "d r"]:
    """Uniform on orthonormal frames: QR of a Gaussian matrix with the signs of R made positive."""
    drawn = default_float(jax.random.normal(key, (dim, r), jnp.float32))
    q, triangle = qr(drawn)
    return q * jnp.where(jnp.diag(triangle) < 0, -1.0, 1.0)


def conditioned(key: Key[Array, ""], rows: int, columns: int, kappa: Any) -> Float[Array, "r c"]:
    """W = U Σ Vᵀ: uniform frames U and V, and singular values log-uniform in [1/κ, κ]."""
    key_u, key_v, key_s = jax.random.split(key, 3)
    rank = min(rows, columns)
    drawn = jax.random.uniform(key_s, (rank,), jnp.float32, minval=-1.0, maxval=1.0)
    values = default_float(kappa) ** default_float(drawn)
    scaled = frame(key_u, rows, rank) * values
    return jnp.matmul(scaled, frame(key_v, columns, rank).T, precision="highest")
