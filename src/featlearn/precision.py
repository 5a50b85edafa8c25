"""Float64 where the mathematics needs it, whatever the session's global setting.

JAX drops to float32 unless a process asks for 64-bit. A library must not ask for the whole
process, so the closed-form parts run inside `double_precision`, and what they hand back to a
32-bit session is cast to that session's float.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import jax
import jax.numpy as jnp

P = ParamSpec("P")
R = TypeVar("R")


def doubles_enabled() -> bool:
    """Whether 64-bit types are on, in the session or by a context around this call."""
    return bool(jnp.result_type(float) == jnp.float64)


def double_precision(function: Callable[P, R]) -> Callable[P, R]:
    """Run `function` with 64-bit types enabled; its result keeps them."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if doubles_enabled():
            return function(*args, **kwargs)
        with jax.enable_x64(True):
            return function(*args, **kwargs)

    return run


def double_inside(function: Callable[P, R]) -> Callable[P, R]:
    """Like `double_precision`, and cast float64 results to the session's own float."""
    inner = double_precision(function)

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        result = inner(*args, **kwargs)
        if doubles_enabled():
            return result
        return jax.tree.map(_to_single, result)

    return run


def narrowed(dtype: str) -> Any:
    """`dtype`, or the session's own float where that is the smaller."""
    return jnp.dtype(dtype) if doubles_enabled() else jnp.dtype(jnp.float32)


def _to_single(leaf: object) -> object:
    if isinstance(leaf, jax.Array) and leaf.dtype == jnp.float64:
        with jax.enable_x64(True):
            return leaf.astype(jnp.float32)
    return leaf
