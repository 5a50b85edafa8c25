"""Matrix decompositions that are safe inside a fleet on a CPU.

There jaxlib gives the matrices of a batched LAPACK call to the threads that run the program, and
waits for them on one of these threads. Two such calls at once on a machine with two threads wait
for each other for ever (seen with jaxlib 0.10.2). Each function here takes one matrix, and under
`vmap` on a CPU it takes one after another; a GPU has batched routines and uses them.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

P = ParamSpec("P")
R = TypeVar("R")


def one_by_one(function: Callable[P, R]) -> Callable[P, R]:
    """Run the members of a batch in turn where the backend is a CPU."""
    in_turn = jax.custom_batching.sequential_vmap(function)

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        chosen = in_turn if jax.default_backend() == "cpu" else function
        return chosen(*args, **kwargs)

    return run


@one_by_one
def eigh(matrix: Float[Array, "n n"]) -> tuple[Float[Array, "n"], Float[Array, "n n"]]:
    """Eigenvalues in ascending order, and eigenvectors as columns."""
    values, vectors = jnp.linalg.eigh(matrix)
    return values, vectors


@one_by_one
def eigvalsh(matrix: Float[Array, "n n"]) -> Float[Array, "n"]:
    """Eigenvalues in ascending order."""
    return jnp.linalg.eigvalsh(matrix)


@one_by_one
def singular_values(matrix: Float[Array, "n m"]) -> Float[Array, "min(n,m)"]:
    """Singular values, largest first."""
    return jnp.linalg.svd(matrix, compute_uv=False)


@one_by_one
def svd(
    matrix: Float[Array, "n m"],
) -> tuple[Float[Array, "n min(n,m)"], Float[Array, "min(n,m)"], Float[Array, "min(n,m) m"]]:
    """The reduced U, the singular values, largest first, and Vᵀ."""
    left, values, right = jnp.linalg.svd(matrix, full_matrices=False)
    return left, values, right


@one_by_one
def qr(matrix: Float[Array, "n m"]) -> tuple[Float[Array, "n m"], Float[Array, "m m"]]:
    """The reduced Q and R."""
    q, r = jnp.linalg.qr(matrix)
    return q, r


@one_by_one
def inverse(matrix: Float[Array, "n n"]) -> Float[Array, "n n"]:
    """The inverse of a small, well-conditioned matrix."""
    return jnp.linalg.inv(matrix)
