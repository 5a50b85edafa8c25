"""One step of gradient descent.

    g  ←  ∇L,  scaled to norm `clip` where it is longer
    sgd        θ ← θ − η (g + λθ)
    momentum   v ← μv + g + λθ;                          θ ← θ − η v
    adam       m ← μm + (1 − μ)g,  v ← νv + (1 − ν)g²;   θ ← θ − η (m̂/(√v̂ + ε) + λθ)
    η = rate · (factors of the drops that are past) · (multiplier of the part),  m̂, v̂ unbiased

Weight decay λ is that of the documents' (1 − ηλ)θ: for adam it stays out of the moments. A part
with η = 0 is frozen: it and its moments stand still, and adam counts the steps of each part for
itself, so that a part which is unlocked late starts as one that is trained from the start.
"""

from typing import Any, Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from featlearn.errors import InvalidInputError

Kind = Literal["sgd", "momentum", "adam"]
Number = Float[Array, ""] | float


class Moments(NamedTuple):
    """What an optimiser remembers; parts that its kind does not need are None."""

    first: Any
    second: Any
    count: Any  # steps taken, for each array of the parameters


class Optimiser(eqx.Module):
    """A frozen config. Its numbers are leaves, so that a grid over them is one fleet.

    rate      learning rate η
    decay     weight decay λ
    momentum  μ, for "momentum" and "adam"
    second    ν, for "adam"
    epsilon   ε, for "adam"
    clip      the most that the norm of the whole gradient may be; None leaves it alone
    drops     ((fraction, factor), …): η is multiplied by `factor` once that fraction of the
              steps is past
    """

    kind: Kind = eqx.field(static=True, default="sgd")
    rate: Number = eqx.field(default=1e-2, kw_only=True)
    decay: Number = eqx.field(default=0.0, kw_only=True)
    momentum: Number = eqx.field(default=0.9, kw_only=True)
    second: Number = eqx.field(default=0.999, kw_only=True)
    epsilon: Number = eqx.field(default=1e-8, kw_only=True)
    clip: Number | None = eqx.field(default=None, kw_only=True)
    drops: tuple[tuple[Number, Number], ...] = eqx.field(default=(), kw_only=True)

    def __check_init__(self) -> None:
        if self.kind not in ("sgd", "momentum", "adam"):
            raise InvalidInputError(f"kind must be 'sgd', 'momentum' or 'adam', got {self.kind!r}.")
        _check("rate", self.rate, 0.0, np.inf)
        _check("decay", self.decay, 0.0, np.inf)
        _check("momentum", self.momentum, 0.0, 1.0)
        _check("second", self.second, 0.0, 1.0)
        _check("epsilon", self.epsilon, 0.0, np.inf)
        if self.clip is not None:
            _check("clip", self.clip, 1e-30, np.inf)
        for drop in self.drops:
            if not isinstance(drop, tuple) or len(drop) != 2:
                raise InvalidInputError(
                    f"drops must be pairs (fraction of the steps, factor), got {drop!r}."
                )
            _check("the fraction of a drop", drop[0], 0.0, np.inf)
            _check("the factor of a drop", drop[1], 0.0, np.inf)

    def start(self, params: Any) -> Moments:
        """Moments before the first step."""

        def zeros(needed: bool) -> Any:
            return jax.tree.map(jnp.zeros_like, params) if needed else None

        adam = self.kind == "adam"
        count = jax.tree.map(lambda _: jnp.zeros((), jnp.int32), params) if adam else None
        return Moments(zeros(self.kind != "sgd"), zeros(adam), count)

    def rate_at(self, step: Int[Array, ""], steps: int) -> Number:
        """η at a step of a training of `steps` steps, before the parts' multipliers."""
        rate = self.rate
        for fraction, factor in self.drops:
            rate = rate * jnp.where(step >= jnp.asarray(fraction) * steps, factor, 1.0)
        return rate

    def step(self, params: Any, gradient: Any, moments: Moments, rates: Any) -> tuple[Any, Moments]:
        """Parameters and moments after one step; `rates` has η of each array."""
        leaves, form = jax.tree.flatten(params)
        count = len(leaves)
        columns = (
            leaves,
            jax.tree.leaves(self._clipped(gradient)),
            *(_leaves(part, count) for part in moments),
            jax.tree.leaves(rates),
        )
        rows = [self._step(*one) for one in zip(*columns, strict=True)]
        new = [
            None if column[0] is None else jax.tree.unflatten(form, column)
            for column in zip(*rows, strict=True)
        ]
        return new[0], Moments(*new[1:])

    def _clipped(self, gradient: Any) -> Any:
        if self.clip is None:
            return gradient
        norm = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(gradient)))
        scale = jnp.minimum(1.0, _like(self.clip, norm) / norm)
        scale = jnp.where(norm > 0, scale, 1.0)
        return jax.tree.map(lambda g: g * _like(scale, g), gradient)

    def _step(
        self, p: Array, g: Array, m: Any, v: Any, count: Any, rate: Any
    ) -> tuple[Any, Any, Any, Any]:
        """One array: parameters, moments and count after the step; unchanged where frozen."""
        eta, decay = _like(rate, p), _like(self.decay, p)
        trained = eta != 0
        mu, nu = _like(self.momentum, p), _like(self.second, p)

        def keep(new: Array, old: Array) -> Array:
            return jnp.where(trained, new, old)

        if self.kind == "sgd":
            return keep(p - eta * (g + decay * p), p), None, None, None
        if self.kind == "momentum":
            m = keep(mu * m + g + decay * p, m)
            return keep(p - eta * m, p), m, None, None
        count = count + jnp.any(trained).astype(count.dtype)
        t = jnp.maximum(count, 1).astype(p.dtype)
        m, v = keep(mu * m + (1 - mu) * g, m), keep(nu * v + (1 - nu) * g * g, v)
        root = jnp.sqrt(v / (1 - nu**t)) + _like(self.epsilon, p)
        return keep(p - eta * (m / (1 - mu**t) / root + decay * p), p), m, v, count


def _leaves(tree: Any, count: int) -> list[Any]:
    return [None] * count if tree is None else jax.tree.leaves(tree)


def _like(number: Any, array: Array) -> Array:
    """A hyper-parameter in the type of what it scales: 64-bit mode must not widen a training."""
    return jnp.asarray(number).astype(array.dtype)


def _check(name: str, value: Any, low: float, high: float) -> None:
    if isinstance(value, int | float) and not low <= value <= high:
        raise InvalidInputError(f"{name} must be between {low:g} and {high:g}, got {value}.")
