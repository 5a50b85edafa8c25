"""A mixture of laws."""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.inputs._base import GaussianPart, Inputs
from featlearn.inputs._checks import check_finite, check_shape, default_float, traced


class Mixture(Inputs):
    """x has law `components[c]` with probability `weights[c]`; equal weights unless given.

    Every component draws all n points and one of them is kept, since a compiled program cannot
    draw a random number of points: the cost is that of all components.
    """

    dim: int = eqx.field(static=True)
    components: tuple[Inputs, ...]
    weights: Float[Array, "k"]

    def __init__(self, components: Sequence[Inputs], weights: Any = None) -> None:
        self.components = tuple(components)
        self.dim = _common_dim(self.components)
        count = len(self.components)
        weights = np.full(count, 1.0 / count) if weights is None else weights
        check_shape("weights", weights, (count,))
        _check_weights(weights)
        self.weights = default_float(weights)

    def sample(self, key: Key[Array, ""], n: int, dtype: Any = jnp.float32) -> Float[Array, "n d"]:
        which_key, *keys = jax.random.split(key, 1 + len(self.components))
        ends = jnp.cumsum(self.weights.astype(jnp.float32))[:-1]
        which = jnp.sum(jax.random.uniform(which_key, (n, 1), jnp.float32) >= ends, axis=1)
        x = self.components[0].sample(keys[0], n, dtype)
        for c, component in enumerate(self.components[1:], 1):
            x = jnp.where(which[:, None] == c, component.sample(keys[c], n, dtype), x)
        return x

    def mean(self) -> Float[Array, "d"]:
        return sum(w * c.mean() for w, c in self._weighted())

    def covariance(self) -> Float[Array, "d d"]:
        mean = self.mean()
        centred = [(w, c.covariance(), c.mean() - mean) for w, c in self._weighted()]
        return sum(w * (covariance + jnp.outer(m, m)) for w, covariance, m in centred)

    @property
    def standard(self) -> bool:
        return all(c.standard for c in self.components)

    def gaussian_parts(self) -> tuple[GaussianPart, ...]:
        inner = [(w, c.gaussian_parts()) for w, c in self._weighted()]
        if not all(parts for _, parts in inner):
            return ()
        return tuple(part._replace(weight=w * part.weight) for w, parts in inner for part in parts)

    def _weighted(self) -> list[tuple[Any, Inputs]]:
        return [(self.weights[c], component) for c, component in enumerate(self.components)]


def _common_dim(components: tuple[Inputs, ...]) -> int:
    if not components:
        raise InvalidInputError("A mixture needs at least one component, got none.")
    dims = sorted({component.dim for component in components})
    if len(dims) > 1:
        raise InvalidInputError(
            f"Components of a mixture must have one dimension, got {dims}. Give them the same dim."
        )
    return dims[0]


def _check_weights(weights: Any) -> None:
    check_finite("weights", weights)
    if traced(weights):
        return
    weights = np.asarray(weights, np.float64)
    if weights.min() < 0 or abs(weights.sum() - 1) > 1e-6:
        raise InvalidInputError(
            f"weights must be at least 0 and sum to 1, got {weights.tolist()} with sum "
            f"{weights.sum():.6g}. Divide them by their sum."
        )
