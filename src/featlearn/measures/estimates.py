"""A number measured on finitely many draws, and what a fit and a task must offer for it."""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from featlearn.errors import InvalidInputError

BLOCK_ROWS = 2048  # points evaluated at once; part of what a key means, so it is fixed


@runtime_checkable
class Predictor(Protocol):
    """A fitted model, or any function of points that JAX can trace."""

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]: ...


@runtime_checkable
class Law(Protocol):
    """What `featlearn.inputs` offers."""

    @property
    def dim(self) -> int: ...

    def sample(self, key: Key[Array, ""], n: int) -> Float[Array, "n d"]: ...


@runtime_checkable
class Problem(Protocol):
    """What a `Task` offers: a law of x and noiseless labels."""

    @property
    def inputs(self) -> Any: ...

    @property
    def target(self) -> Any: ...


class Estimate(eqx.Module):
    """A mean over `n` draws with its standard error; a pytree, so that fleets can stack it."""

    value: Float[Array, "*k"]
    stderr: Float[Array, "*k"]
    n: Int[Array, ""]


def estimate(values: Float[Array, "n"]) -> Estimate:
    """The mean of independent draws."""
    n = values.shape[0]
    return Estimate(values.mean(), values.std(ddof=1) / jnp.sqrt(n), jnp.asarray(n, jnp.int32))


def ratio_estimate(above: Float[Array, "n"], below: Float[Array, "n"]) -> Estimate:
    """E above / E below from paired draws; the error by linearisation, exact to order 1/n."""
    ratio = above.mean() / below.mean()
    spread = estimate((above - ratio * below) / below.mean())
    return Estimate(ratio, spread.stderr, spread.n)


def over_draws(
    function: Callable[[Float[Array, "b d"]], Any], inputs: Law, key: Key[Array, ""], n: int
) -> Any:
    """`function` at n draws of x, evaluated block by block so that memory follows the block."""
    if n < 2:
        raise InvalidInputError(f"n must be at least 2 draws to give a standard error, got {n}.")
    block = min(n, BLOCK_ROWS)
    keys = jax.random.split(key, -(-n // block))
    stacked = jax.lax.map(lambda k: function(inputs.sample(k, block)), keys)
    return jax.tree.map(lambda a: a.reshape(-1, *a.shape[2:])[:n], stacked)
