"""Gaussian averages of a ReLU and of its derivative (arc-cosine kernels of order 1 and 0).

For (u, v) centred Gaussian with variances a, b and covariance c = √(ab) cos θ:

    E relu(u) relu(v) = (√(ab − c²) + c (π − θ)) / 2π
    E 1[u>0] 1[v>0]   = (π − θ) / 2π
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.kernels._geometry import safe_sqrt

# ab − c² carries an error of a few units of rounding of ab: smaller values mean θ = 0 or π.
COINCIDENT = 16 * float(np.finfo(np.float64).eps)


def relu_averages(
    a: Float[Array, "n 1"], b: Float[Array, "1 m"], c: Float[Array, "n m"]
) -> tuple[Float[Array, "n m"], Float[Array, "n m"]]:
    """E relu(u) relu(v) and E 1[u>0] 1[v>0].

    Both are 0 and 1/2 where a point has no variance. Derivatives are finite everywhere: where
    u = ±v the second has none (a cusp), and gets the mean 0 of its one-sided derivatives.
    """
    gap = a * b - c**2
    apart = gap > COINCIDENT * a * b
    sine = safe_sqrt(jnp.where(apart, gap, 0.0))
    angle = jnp.where(
        apart,
        jnp.arctan2(jnp.where(apart, sine, 1.0), jnp.where(apart, c, 1.0)),
        jnp.where(c < 0, jnp.pi, 0.0),
    )
    positive = (jnp.pi - angle) / (2 * jnp.pi)
    return sine / (2 * jnp.pi) + c * positive, positive
