"""Kernels of random networks of finite width, averaged over draws of the parameters."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key


class KernelAverages(NamedTuple):
    """Means over draws of ⟨∇f(x), ∇f(y)⟩ and f(x) f(y), with their standard errors."""

    tangent: Float[np.ndarray, "n n"]
    tangent_stderr: Float[np.ndarray, "n n"]
    output: Float[np.ndarray, "n n"]
    output_stderr: Float[np.ndarray, "n n"]


def average_kernels(
    draw: Callable[[Key[Array, ""]], Any],
    apply: Callable[[Any, Float[Array, "d"]], Float[Array, ""]],
    x: Float[Array, "n d"],
    *,
    key: Key[Array, ""],
    count: int,
) -> KernelAverages:
    """Average over `count` networks f = apply(draw(key), ·), all of whose parameters are trained.

    With one hidden layer the averages of the tangent and output kernels are the infinite-width
    ones at any width; deeper networks of width m are off by O(1/m).
    """

    def one(key: Array) -> tuple[Array, Array]:
        parameters = draw(key)
        value, gradient = jax.vmap(jax.value_and_grad(apply), in_axes=(None, 0))(parameters, x)
        leaves = [leaf.reshape(x.shape[0], -1) for leaf in jax.tree.leaves(gradient)]
        flat = jnp.concatenate(leaves, axis=1)
        return flat @ flat.T, jnp.outer(value, value)

    grams = jax.jit(lambda keys: jax.lax.map(one, keys, batch_size=500))(
        jax.random.split(key, count)
    )
    tangent, output = (np.asarray(g, np.float64) for g in grams)
    root = np.sqrt(count)
    return KernelAverages(
        tangent.mean(0), tangent.std(0) / root, output.mean(0), output.std(0) / root
    )
