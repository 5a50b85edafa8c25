"""Random non-spherical Gaussians, and mixtures of them.

    N(μ, U Λ Uᵀ),   U uniform, Λ log-uniform in [1/κ, κ] and scaled to tr Λ = d

so that E‖x − μ‖² = d for every κ, as it is for N(0, I).
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.decompositions import qr
from featlearn.errors import InvalidInputError
from featlearn.inputs._checks import check_count, check_finite, check_shape, default_float, traced
from featlearn.inputs.gaussian import Gaussian
from featlearn.inputs.mixture import Mixture


def non_spherical(dim: int, kappa: Any, *, mean: Any = None, key: Key[Array, ""]) -> Gaussian:
    """N(mean, Σ) with a random Σ whose eigenvalues differ by κ² at most.

    `mean` is 0 unless given.

        non_spherical(20, kappa=2.0, key=key)
    """
    dim = check_count("dim", dim)
    _check_kappa(kappa)
    return Gaussian(dim, mean=mean, covariance=_covariance(key, dim, kappa))


def non_spherical_mixture(
    dim: int,
    components: int,
    kappa: Any,
    *,
    spread: Any = 0.0,
    weights: Any = None,
    key: Key[Array, ""],
) -> Mixture:
    """A mixture of non-spherical Gaussians, each with a Σ of its own.

    Their means are drawn from N(0, spread² I); equal weights unless given.

        non_spherical_mixture(20, components=3, kappa=2.0, spread=0.5, key=key)
    """
    count = check_count("components", components)
    check_shape("spread", spread, ())
    check_finite("spread", spread)
    parts = []
    for one in jax.random.split(key, count):
        mean_key, law_key = jax.random.split(one)
        mean = spread * default_float(jax.random.normal(mean_key, (dim,), jnp.float32))
        parts.append(non_spherical(dim, kappa, mean=mean, key=law_key))
    return Mixture(parts, weights)


def _covariance(key: Key[Array, ""], dim: int, kappa: Any) -> Float[Array, "d d"]:
    """U Λ Uᵀ; the signs that QR leaves open do not matter in it."""
    turn_key, value_key = jax.random.split(key)
    u = qr(default_float(jax.random.normal(turn_key, (dim, dim), jnp.float32)))[0]
    drawn = jax.random.uniform(value_key, (dim,), jnp.float32, minval=-1.0, maxval=1.0)
    values = default_float(kappa) ** default_float(drawn)
    return jnp.matmul(u * (values / values.mean()), u.T, precision="highest")


def _check_kappa(kappa: Any) -> None:
    if not traced(kappa) and not 1 <= float(kappa) < np.inf:
        raise InvalidInputError(f"kappa must be at least 1 and finite, got {kappa}.")
