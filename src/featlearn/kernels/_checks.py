"""Checks of kernels' fields, made once when a kernel is built, and of the points they are given."""

from numbers import Real
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from featlearn.errors import InvalidInputError
from featlearn.memory import check_memory

CHECKED = 2**28  # bytes of a Gram matrix below which nobody asks how much memory there is


def check_positive(name: str, value: Any) -> None:
    """Refuse what is not a positive finite number; of arrays in a stack, each."""
    numbers = _numbers(name, value)
    if not np.all((numbers > 0) & (numbers < np.inf)):
        raise InvalidInputError(f"{name} must be positive and finite, got {value}.")


def check_not_negative(name: str, value: Any) -> None:
    """Refuse what is not a finite number of at least 0; of arrays in a stack, each."""
    numbers = _numbers(name, value)
    if not np.all((numbers >= 0) & (numbers < np.inf)):
        raise InvalidInputError(f"{name} must be finite and at least 0, got {value}.")


def _numbers(name: str, value: Any) -> np.ndarray:
    """As an array; 1 for what is not known while a program is traced."""
    if isinstance(value, jax.core.Tracer):
        return np.ones(())
    array = isinstance(value, jax.Array | np.ndarray) and jnp.issubdtype(value.dtype, jnp.number)
    if isinstance(value, bool) or not (array or isinstance(value, Real)):
        raise InvalidInputError(
            f"{name} must be one number, got {value!r}. Several candidates are several kernels: "
            "give KernelRidge a list of them."
        )
    return np.asarray(value, np.float64)


def check_integer(name: str, value: Any, *, least: int) -> None:
    """Refuse what is not an integer of at least `least`."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least:
        raise InvalidInputError(f"{name} must be an integer of at least {least}, got {value!r}.")


def check_points(x: Any) -> None:
    """Refuse what is no matrix of finite real numbers."""
    if getattr(x, "ndim", None) != 2:
        raise InvalidInputError(
            f"A kernel takes points of shape (n, d), got {getattr(x, 'shape', type(x).__name__)}. "
            "Give an array; reshape one-dimensional inputs to (n, 1)."
        )
    if 0 in x.shape:
        raise InvalidInputError(
            f"A kernel takes at least one point of at least one number, got shape {x.shape}."
        )
    kind = jnp.result_type(x.dtype) if np.dtype(x.dtype).kind not in "USOM" else x.dtype
    if not any(jnp.issubdtype(kind, real) for real in (jnp.floating, jnp.integer, jnp.bool_)):
        raise InvalidInputError(
            f"A kernel takes points of real numbers, got {kind}. Encode text and categories as "
            "numbers; split complex numbers into two columns."
        )
    check_finite(x)


def check_finite(x: Any) -> None:
    """Refuse points that are NaN or infinite, where they are known; their kernel has no meaning."""
    if isinstance(x, jax.core.Tracer):
        return
    on_host = isinstance(x, np.ndarray) or jax.default_backend() == "cpu"
    if np.isfinite(np.asarray(x)).all() if on_host else bool(jnp.isfinite(x).all()):
        return
    bad = ~np.isfinite(np.asarray(x))
    raise InvalidInputError(
        f"The points have {int(bad.sum())} values that are NaN or infinite (first in row "
        f"{int(np.argwhere(bad)[0][0])}). Remove or impute those rows."
    )


def check_gram(n: int, m: int, single: bool) -> None:
    """Refuse a Gram matrix that the machine cannot hold, before it is started."""
    wanted = (4 if single else 8) * n * m
    if wanted > CHECKED:
        rest = "" if single else " dtype='float32',"
        check_memory(
            wanted,
            f"The Gram matrix of {n} × {m} points",
            f"Take fewer points,{rest} kernel.product, which never holds the matrix, or "
            "KernelRidge, whose iterative solver does not need it.",
        )
