"""In which order layers learn: when each layer's error first comes down to a level."""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float


def first_below(
    times: Float[Array, "t"], errors: Float[Array, "*layers t"], level: Any
) -> Float[Array, "*layers"]:
    """The first of `times` at which an error is at most `level`; infinite where it never is.

    An error that is not a number is not below anything. What it cannot tell: when, between two of
    the times; and whether the error stays there.

        first_below(jnp.arange(3.0), jnp.array([[1.0, 0.2, 0.1], [1.0, 0.9, 0.1]]), 0.25)
    """
    times, errors = jnp.asarray(times), jnp.asarray(errors)
    reached = errors <= jnp.asarray(level)
    return jnp.where(reached, times, jnp.inf).min(axis=-1)


def in_order(first: Float[Array, "*r layers"]) -> Bool[Array, "*r"]:
    """Whether every layer reaches its level, and none before the one below it.

    Ties count as in order: two layers may reach their levels between the same two times.
    """
    reached = jnp.isfinite(first).all(axis=-1)
    return reached & (jnp.diff(first, axis=-1) >= 0).all(axis=-1)
