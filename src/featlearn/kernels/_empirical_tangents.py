"""Derivatives of a network's outputs by its parameters, as matrices and as products.

J_a(x) = ∂f_a(x)/∂θ          a = 1…k outputs, θ the parameters of one group of leaves

tile   Σ_a ⟨J_a(x_i), J_a(y_j)⟩   or   ⟨J_a(x_i), J_b(y_j)⟩
pull   Σ_jb w_jb J_b(y_j)                     one vector of parameters: reverse mode
push   ⟨J_a(x_i), δ⟩                          one number for each output: forward mode
"""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

Group = tuple[int, ...]  # which leaves of the parameters, in the order of their tree
Parts = list[Array]


class Fixed:
    """What of a pytree of parameters has no derivative; equal to itself alone, and so hashable."""

    def __init__(self, tree: Any) -> None:
        self.tree = tree


class Network(eqx.Module):
    """f(θ, x) with outputs in columns; `dtype` is what it computes in."""

    params: Any
    fixed: Fixed = eqx.field(static=True)
    function: Callable[..., Any] = eqx.field(static=True)
    dtype: str = eqx.field(static=True)

    @property
    def leaves(self) -> Parts:
        """The parameters that have derivatives."""
        return [leaf.astype(self.dtype) for leaf in jax.tree.leaves(self.params)]

    def __call__(self, x: Array) -> Float[Array, "n k"]:
        return self.moved((), [], x)

    def as_written(self, x: Array) -> Any:
        """What the function itself returns."""
        return self._evaluate(self.leaves, x)

    def moved(self, group: Group, parts: Parts, x: Array) -> Float[Array, "n k"]:
        """f(θ, x) with `parts` in the place of the leaves of `group`."""
        leaves = self.leaves
        for index, part in zip(group, parts, strict=True):
            leaves[index] = part
        return self._evaluate(leaves, x).reshape(x.shape[0], -1).astype(self.dtype)

    def _evaluate(self, leaves: Parts, x: Array) -> Any:
        params = jax.tree.unflatten(jax.tree.structure(self.params), leaves)
        return self.function(eqx.combine(params, self.fixed.tree), x)

    def parts(self, group: Group) -> Parts:
        """The leaves of a group."""
        leaves = self.leaves
        return [leaves[index] for index in group]

    def sizes(self) -> list[int]:
        """How many numbers each leaf has."""
        return [int(np.prod(leaf.shape)) for leaf in jax.tree.leaves(self.params)]

    def everything(self) -> Group:
        """All leaves as one group."""
        return tuple(range(len(jax.tree.leaves(self.params))))


def jacobian(network: Network, group: Group, x: Array) -> list[Float[Array, "n k p"]]:
    """J(x), leaf by leaf: row after row, so that a row costs one row's backward passes."""

    def one(row: Array) -> Parts:
        return jax.jacrev(lambda parts: network.moved(group, parts, row[None])[0])(
            network.parts(group)
        )

    return [leaf.reshape(*leaf.shape[:2], -1) for leaf in jax.vmap(one)(x)]


def contract_traces(j_x: Parts, j_y: Parts) -> Float[Array, "n m"]:
    """Σ_a ⟨J_a(x_i), J_a(y_j)⟩."""
    return sum_of(
        jnp.einsum("iap,jap->ij", u, v, precision="highest") for u, v in zip(j_x, j_y, strict=True)
    )


def contract_outputs(j_x: Parts, j_y: Parts) -> Float[Array, "n m k k"]:
    """⟨J_a(x_i), J_b(y_j)⟩."""
    return sum_of(
        jnp.einsum("iap,jbp->ijab", u, v, precision="highest")
        for u, v in zip(j_x, j_y, strict=True)
    )


def tile_by_products(
    network: Network, group: Group, full: bool, x: Array, y: Array
) -> Float[Array, "n m *kk"]:
    """The same tile from forward passes at x along each gradient at y: J(x) is never held."""
    shapes = [part.shape for part in network.parts(group)]

    def along(gradient: Parts) -> Float[Array, "n k"]:
        shaped = [g.reshape(shape) for g, shape in zip(gradient, shapes, strict=True)]
        return push(network, group, x, shaped)

    pushed = jax.vmap(jax.vmap(along))(jacobian(network, group, y))  # (m, k of y, n, k of x)
    return jnp.einsum("jbia->ijab" if full else "jaia->ij", pushed)


def push(network: Network, group: Group, x: Array, direction: Parts) -> Float[Array, "n k"]:
    """⟨∇f_a(x_i), δ⟩: how the outputs move with the parameters."""
    return jax.jvp(
        lambda parts: network.moved(group, parts, x), (network.parts(group),), (direction,)
    )[1]


def pull(network: Network, group: Group, y: Array, weights: Float[Array, "m k"]) -> Parts:
    """Σ_jb w_jb ∇f_b(y_j)."""
    _, back = jax.vjp(lambda parts: network.moved(group, parts, y), network.parts(group))
    return back(weights)[0]


def push_by_rows(
    network: Network, group: Group, x: Array, direction: Parts, rows: int
) -> Float[Array, "n k"]:
    """`push` in blocks of rows."""
    if x.shape[0] <= rows:
        return push(network, group, x, direction)
    return jax.lax.map(
        lambda row: push(network, group, row[None], direction)[0], x, batch_size=rows
    )


def pull_by_rows(
    network: Network, group: Group, y: Array, weights: Float[Array, "m k"], rows: int
) -> Parts:
    """`pull` in blocks of rows, summed as they come."""
    count = y.shape[0] // rows
    if count <= 1 and y.shape[0] <= rows:
        return pull(network, group, y, weights)
    whole = count * rows
    blocks = tuple(a[:whole].reshape(count, rows, *a.shape[1:]) for a in (y, weights))

    def add(total: Parts, block: tuple[Array, ...]) -> tuple[Parts, None]:
        return jax.tree.map(jnp.add, total, pull(network, group, *block)), None

    total = jax.lax.scan(add, jax.tree.map(jnp.zeros_like, network.parts(group)), blocks)[0]
    if whole == y.shape[0]:
        return total
    return jax.tree.map(jnp.add, total, pull(network, group, y[whole:], weights[whole:]))


def sum_of(terms: Any) -> Array:
    """The sum of arrays of one shape, without a 0 that would be an array of its own."""
    first, *rest = terms
    for term in rest:
        first = first + term
    return first
