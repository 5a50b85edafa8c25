"""Checks of concrete values; values that JAX traces pass, since they have no numbers yet."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError


def traced(*values: Any) -> bool:
    """Whether any of the values is known only inside a JAX transformation."""
    leaves = jax.tree.leaves(values)
    return any(isinstance(leaf, jax.core.Tracer) for leaf in leaves)


def default_float(value: Any) -> Float[Array, "..."]:
    """An array in the session's own float."""
    return jnp.asarray(value, jnp.result_type(float))


def check_count(name: str, value: Any, least: int = 1) -> int:
    """A whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InvalidInputError(f"{name} must be a whole number of at least {least}, got {value}.")
    return int(value)


def check_shape(name: str, value: Any, *shapes: tuple[int, ...]) -> None:
    """One of the shapes that make sense."""
    got = np.shape(value)
    if got not in shapes:
        wanted = " or ".join(str(shape) for shape in shapes)
        raise InvalidInputError(f"{name} must have shape {wanted}, got {got}.")


def check_finite(name: str, value: Any) -> None:
    """Refuse NaN and infinity."""
    if not traced(value) and not np.all(np.isfinite(np.asarray(value))):
        raise InvalidInputError(f"{name} has values that are NaN or infinite. Give finite numbers.")
