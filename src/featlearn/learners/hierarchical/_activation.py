"""The truncated square: bounded, so that one heavy-tailed point cannot throw a step off.

    σ̃(z) = z²                                    |z| ≤ B
    σ̃(z) = B² (1 + 2u + u² − (10/3) u³ + (3/2) u⁴)    |z| = B (1 + u),  0 ≤ u ≤ 1
    σ̃(z) = (13/6) B²                             |z| ≥ 2B

The ramp's slope is 2B (1 − u)² (1 + 3u) ≥ 0: it meets z² and the constant with two derivatives.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float


def truncated_square(z: Float[Array, "..."], cut: Float[Array, ""] | float) -> Float[Array, "..."]:
    """σ̃(z) for B = `cut`; infinity gives the square itself."""
    cut = jnp.asarray(cut, z.dtype)
    finite = jnp.isfinite(cut)
    level = jnp.where(finite, cut, 1)  # keeps infinity out of the branch that is not taken
    u = jnp.clip(jnp.abs(z) / level - 1, 0, 1)
    ramp = level**2 * (1 + 2 * u + u**2 - u**3 * (10 / 3 - 1.5 * u))
    return jnp.where(finite & (jnp.abs(z) > level), ramp, z**2)
