"""How far a trained network is from the linear model that it starts as.

    function     ‖f(W_t) − f_lin(W_t)‖ / ‖f(W_t) − f(W_0)‖,   f_lin(W) = f(W_0) + ⟨∇f(W_0), W − W_0⟩
    parameters   ‖W_t − V_t‖ / ‖V_t − W_0‖,   V_t where the same training of f_lin itself ends

The first norm is root mean square over points and outputs; both ratios are of how far the training
has come, so that 0 is a lazy network and 1 one whose linear model says nothing.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.measures.estimates import Estimate

Function = Callable[[Any, Array], Array]


def linearised(fn: Function, start: Any, moved: Any, x: Float[Array, "n *in"]) -> Array:
    """f(W_0, x) + ⟨∇f(W_0, x), W − W_0⟩ for W = `moved`."""
    step = jax.tree.map(jnp.subtract, moved, start)
    value, slope = jax.jvp(lambda weights: fn(weights, x), (start,), (step,))
    return value + slope


def linearisation_gap(fn: Function, start: Any, moved: Any, x: Float[Array, "n *in"]) -> Estimate:
    """The gap in function over the n points x; 0 for weights that have not moved.

    `fn(weights, x)` gives (n,) or (n, k), row by row; weights are pytrees of floating arrays.

    What it cannot tell: what happens at other points. Points of the training sample show a gap
    that training itself has worked on; fresh points are the fairer ones.

        linearisation_gap(fn, start, trained.params, x).value
    """
    _check(start, moved)
    before, after = fn(start, x), fn(moved, x)
    return gap_of(before, after, linearised(fn, start, moved, x))


def gap_of(
    before: Float[Array, "n *k"], after: Float[Array, "n *k"], linear: Float[Array, "n *k"]
) -> Estimate:
    """√(E|f_t − f_lin|²/E|f_t − f_0|²) from values at n points; the error by linearisation."""
    rows = before.shape[0]
    if rows < 2:
        raise InvalidInputError(f"A gap with a standard error needs 2 points or more, got {rows}.")
    apart, moved = (
        jnp.sum((after - other).reshape(rows, -1) ** 2, axis=1) for other in (linear, before)
    )
    above, below = apart.mean(), moved.mean()
    still = below == 0
    safe = jnp.where(still, 1.0, below)
    value = jnp.where(still, 0.0, jnp.sqrt(above / safe))
    spread = jnp.std(apart - value**2 * moved, ddof=1) / safe
    root = jnp.where(value > 0, 2 * value, 1.0)
    stderr = jnp.where(still | (value == 0), 0.0, spread / (root * jnp.sqrt(rows)))
    return Estimate(value, stderr, jnp.asarray(rows, jnp.int32))


def parameter_gap(start: Any, moved: Any, tangent: Any) -> Float[Array, ""]:
    """‖W_t − V_t‖/‖V_t − W_0‖; 0 where neither has moved.

    moved     weights of the trained network
    tangent   weights of its linear model after the same training
    """
    _check(start, moved)
    _check(start, tangent)
    return _ratio(distance(moved, tangent), distance(tangent, start))


def movement(start: Any, moved: Any) -> Float[Array, ""]:
    """‖W_t − W_0‖/‖W_0‖."""
    _check(start, moved)
    return _ratio(distance(moved, start), distance(start, jax.tree.map(jnp.zeros_like, start)))


def distance(one: Any, other: Any) -> Float[Array, ""]:
    """The Euclidean norm of the difference, over all arrays."""
    squares = jax.tree.map(lambda a, b: jnp.sum((a - b) ** 2), one, other)
    return jnp.sqrt(jnp.sum(jnp.stack(jax.tree.leaves(squares))))


def _ratio(above: Array, below: Array) -> Array:
    still = below == 0
    return jnp.where(still, jnp.where(above == 0, 0.0, jnp.inf), above / jnp.where(still, 1, below))


def _check(start: Any, other: Any) -> None:
    forms: list[Any] = [jax.tree.structure(tree) for tree in (start, other)]
    shapes = [[jnp.shape(leaf) for leaf in jax.tree.leaves(tree)] for tree in (start, other)]
    if not shapes[0] or forms[0] != forms[1] or shapes[0] != shapes[1]:
        raise InvalidInputError(
            "Weights at two moments must be one pytree with arrays of one shape, got "
            f"{forms[0]} of {shapes[0]} and {forms[1]} of {shapes[1]}."
        )
