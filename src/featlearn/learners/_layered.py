"""Networks with ReLU layers as pure functions of a dict of weights, without what trains them.

    residual, V = V′A     g = A σ(W(x, 1)),   f = g + A σ(V′(g, 1))       V′ m × (k+1)
    residual, full V      h = σ(W(x, 1)),     f = A h + A σ(V h)          V m × m
    chain of depth L      h_1 = σ(W(x, 1)),   h_ℓ = σ(V_ℓ (h_{ℓ−1}, 1)),  f = A h_{L−1}

with σ = ReLU, W m × (d+1) and A k × m. Starts: "slides" has A and V of variance 1/m and W of
variance 1/d,
"later" has every variance 1/m.
"""

from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError

Start = Literal["slides", "later"]
Weights = dict[str, Float[Array, "..."]]


class ResidualNetwork(eqx.Module):
    """f = g + A σ(V …) with g = A σ(W(x, 1)).

    Where the weights hold an `inner` matrix, it takes the place of the A that V sees: with all but
    A fixed, f is then linear in A.
    """

    width: int = eqx.field(static=True)
    full: bool = eqx.field(static=True)
    start: Start = eqx.field(static=True)

    levels = 2

    def draw(self, key: Key[Array, ""], d: int, k: int) -> Weights:
        """Random weights."""
        m = self.width
        seen = m if self.full else k + 1
        return {
            "A": _normal(key, 0, (k, m), 1 / m),
            "V": _normal(key, 1, (m, seen), 1 / m),
            "W": _normal(key, 2, (m, d + 1), 1 / (d if self.start == "slides" else m)),
        }

    def __call__(
        self, weights: Weights, x: Float[Array, "n d"], precision: Any = None
    ) -> Float[Array, "n k"]:
        first, second = self.hidden(weights, x, precision)
        return _apply(weights["A"], first + second, precision)

    def hidden(
        self, weights: Weights, x: Float[Array, "n d"], precision: Any = None
    ) -> tuple[Float[Array, "n m"], Float[Array, "n m"]]:
        """σ(W(x, 1)), and what the second layer makes of it."""
        first = jax.nn.relu(_apply(weights["W"], with_one(x), precision))
        seen = first
        if not self.full:
            seen = with_one(_apply(weights.get("inner", weights["A"]), first, precision))
        return first, jax.nn.relu(_apply(weights["V"], seen, precision))

    def first_output(
        self, weights: Weights, x: Float[Array, "n d"], precision: Any = None
    ) -> Float[Array, "n k"]:
        """g = A σ(W(x, 1)): what the first layer makes of x by itself."""
        return _apply(weights["A"], self.hidden(weights, x, precision)[0], precision)

    def feature(self, weights: Weights, x: Array, level: int, precision: Any = None) -> Array:
        """The hidden layer of that level."""
        return self.hidden(weights, x, precision)[level - 1]


class Chain(eqx.Module):
    """f = A h_{L−1}, layer upon layer."""

    depth: int = eqx.field(static=True)
    width: int = eqx.field(static=True)
    start: Start = eqx.field(static=True)

    @property
    def levels(self) -> int:
        return self.depth - 1

    def draw(self, key: Key[Array, ""], d: int, k: int) -> Weights:
        m = self.width
        weights = {
            "A": _normal(key, 0, (k, m), 1 / m),
            "W": _normal(key, 2, (m, d + 1), 1 / (d if self.start == "slides" else m)),
        }
        for level in range(2, self.depth):
            weights[f"V{level}"] = _normal(key, 1 + level, (m, m + 1), 1 / m)
        return weights

    def __call__(
        self, weights: Weights, x: Float[Array, "n d"], precision: Any = None
    ) -> Float[Array, "n k"]:
        last = self.feature(weights, x, self.levels, precision)
        return _apply(weights["A"], last, precision)

    def feature(self, weights: Weights, x: Array, level: int, precision: Any = None) -> Array:
        h = jax.nn.relu(_apply(weights["W"], with_one(x), precision))
        for each in range(2, level + 1):
            h = jax.nn.relu(_apply(weights[f"V{each}"], with_one(h), precision))
        return h


def check_whole(name: str, value: int, least: int = 1) -> int:
    """A whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InvalidInputError(f"{name} must be a whole number of at least {least}, got {value}.")
    return int(value)


def check_start(start: str) -> None:
    if start not in ("slides", "later"):
        raise InvalidInputError(f'start must be "slides" or "later", got {start!r}.')


def _apply(matrix: Array, x: Array, precision: Any) -> Array:
    return jnp.matmul(x, matrix.T, precision=precision)


def with_one(x: Float[Array, "n d"]) -> Float[Array, "n d+1"]:
    return jnp.concatenate([x, jnp.ones((x.shape[0], 1), x.dtype)], axis=1)


def _normal(key: Key[Array, ""], role: int, shape: tuple[int, ...], variance: float) -> Array:
    drawn = jax.random.normal(jax.random.fold_in(key, role), shape, jnp.float32)
    return drawn * jnp.float32(variance**0.5)
