"""Learning representations by one gradient step, then a ridge head.

    α, β  ←  mean y_i,  mean y_i x_i;      y_i ← y_i − α − β·x_i        (training labels only)
    a_j = ±1,  w_j ~ N(0, I/d),  b_j = 0;  pairs with equal w and opposite a: f = 0 at the start
    W  ←  W − η (∇_W L + W/η)  =  −η ∇_W L                              (one step; W⁰ cancels)
    b_j ~ N(0, 1)                                                       (redrawn)
    a  ←  argmin  mean (y − aᵀσ(Wx + b))² + λ|a|²                       (λ on validation rows)
    predict  α + β·x + aᵀσ(Wx + b),        σ = ReLU

η is such that the neurons have norm `step` in root mean square. L is the mean of squares,
without a half.
"""

from typing import Any, Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.kernels.ridge import PENALTIES
from featlearn.learners._fitting import fit_checked
from featlearn.learners._head import HeadRule
from featlearn.learners._linear_part import linear_part, no_linear_part, split_without, without
from featlearn.learners._network import NetworkFit, hidden_layer
from featlearn.learners._rows import sum_over_rows
from featlearn.learners._spectrum import rank_above, spectrum
from featlearn.learners._split import Rows, split_rows
from featlearn.samples import Sample


class Start(NamedTuple):
    """The network before the step: hidden weights, output weights, biases."""

    w: Float[Array, "m d"]
    a: Float[Array, "m k"]
    b: Float[Array, "m"]


class OneStep(eqx.Module):
    """One gradient step on the first layer, then ridge on the second.

    width            number of neurons, even
    step             norm of the neurons after the step; 0 keeps the random start (random features)
    symmetric        False starts from independent neurons: the network is not 0 (a control)
    bias             "redraw" after the step, or "keep": drawn before the step and kept
    head             "ridge", or "gradient": literal gradient descent with weight decay 2λ,
                     at the λ that ridge chose, for at most `head_steps` steps
    preprocess       remove the constant and linear part of the training labels
    estimate_rank    also take the step on permuted labels, so that `fit.record["rank"]` tells
                     how many directions were found
    penalties        candidates for λ
    """

    width: int = eqx.field(static=True)
    step: Float[Array, ""] | float = eqx.field(default=1.0, kw_only=True)
    symmetric: bool = eqx.field(static=True, default=True, kw_only=True)
    bias: Literal["redraw", "keep"] = eqx.field(static=True, default="redraw", kw_only=True)
    head: Literal["ridge", "gradient"] = eqx.field(static=True, default="ridge", kw_only=True)
    preprocess: bool = eqx.field(static=True, default=True, kw_only=True)
    estimate_rank: bool = eqx.field(static=True, default=True, kw_only=True)
    head_steps: int = eqx.field(static=True, default=200_000, kw_only=True)
    penalties: tuple[float, ...] = eqx.field(static=True, default=PENALTIES, kw_only=True)

    def __check_init__(self) -> None:
        check_width(self.width, pairs=True)
        if isinstance(self.step, int | float) and not 0 <= self.step < np.inf:
            raise InvalidInputError(f"step must be finite and at least 0, got {self.step}.")
        if self.bias not in ("redraw", "keep"):
            raise InvalidInputError(f"bias must be 'redraw' or 'keep', got {self.bias!r}.")
        _ = self.rule  # checks the head's fields

    @property
    def rule(self) -> HeadRule:
        """How the head is fitted."""
        return HeadRule(kind=self.head, penalties=self.penalties, steps=self.head_steps)

    def fit(self, sample: Sample, *, key: Key[Array, ""]) -> NetworkFit:
        """Fit on a sample; the last fifth of its rows chooses λ."""
        return fit_checked(self, sample, key)

    def fit_arrays(self, sample: Sample, key: Key[Array, ""]) -> NetworkFit:
        """`fit` without checks: pure, and so fit for `jit` and `vmap`."""
        raw = split_rows(sample)
        parts = linear_part(raw.train) if self.preprocess else no_linear_part(raw.train)
        split = split_without(raw, parts)
        key_start, key_bias, key_null = jax.random.split(key, 3)
        start = self._start(key_start, sample.dim, split.train.y.shape[1])
        weight, record = self._hidden_weights(start, split.train, key_null)
        bias = start.b if self.bias == "keep" else _normal(key_bias, start.b.shape)

        def hidden(x: Array) -> Array:
            return hidden_layer(x, weight, bias)

        head, head_record = self.rule.fit(hidden, split, start.a)
        constant, linear = parts
        return NetworkFit(
            constant=constant,
            linear=linear,
            weight=weight,
            bias=bias,
            head=head,
            record=record | head_record,
            rule=self.rule,
            flat=sample.y.ndim == 1,
        )

    def _start(self, key: Key[Array, ""], dim: int, outputs: int) -> Start:
        m = self.width // 2 if self.symmetric else self.width
        key_w, key_a, key_b = jax.random.split(key, 3)
        w = _normal(key_w, (m, dim)) / np.float32(np.sqrt(dim))
        a = jax.random.rademacher(key_a, (m, outputs), jnp.float32)
        b = _normal(key_b, (m,)) if self.bias == "keep" else jnp.zeros(m, jnp.float32)
        if not self.symmetric:
            return Start(w, a, b)
        return Start(jnp.concatenate([w, w]), jnp.concatenate([a, -a]), jnp.concatenate([b, b]))

    def _hidden_weights(
        self, start: Start, train: Rows, key: Key[Array, ""]
    ) -> tuple[Float[Array, "m d"], dict[str, Any]]:
        """W after the step, and what is to be known of it."""
        descent = self._descent(start, train)
        rms = jnp.sqrt(jnp.mean(jnp.sum(descent**2, axis=1)))
        eta = self.step / jnp.maximum(rms, jnp.finfo(rms.dtype).tiny)
        weight = jnp.where(jnp.asarray(self.step) > 0, eta * descent, start.w).astype(jnp.float32)
        record = {"gradient_norm": rms, "spectrum": spectrum(weight)}
        if self.estimate_rank:
            null = self._descent(start, _permuted(train, key, self.preprocess))
            record["null_spectrum"] = spectrum(eta * null)
            found = rank_above(record["spectrum"], record["null_spectrum"])
            record["rank"] = jnp.where(jnp.asarray(self.step) > 0, found, 0)
        return weight, record

    def _descent(self, start: Start, train: Rows) -> Float[Array, "m d"]:
        """−∇_W L = (2/n) Σ_i (y_i − f(x_i)) a_j σ'(w_j·x_i + b_j) x_i."""
        half = start.w.shape[0] // 2 if self.symmetric else start.w.shape[0]
        w, a, b = (part[:half] for part in start)

        def sums(x: Array, y: Array, weight: Array) -> Array:
            before = jnp.matmul(x, w.T, precision="highest") + b
            residual = y if self.symmetric else y - jax.nn.relu(before) @ a
            pull = jnp.where(before > 0, (residual * weight[:, None]).astype(x.dtype) @ a.T, 0)
            return jnp.matmul(pull.T, x, precision="highest")

        total = sum_over_rows(sums, train, row_cost=2 * half, number=train.number)
        descent = 2 * total / train.number
        return jnp.concatenate([descent, -descent]) if self.symmetric else descent


def check_width(width: int, *, pairs: bool = False) -> None:
    """Refuse a number of neurons that is none; `pairs` need an even one."""
    whole = isinstance(width, int | np.integer) and not isinstance(width, bool)
    if not whole or width < 1 + pairs or (pairs and width % 2):
        kind = "an even number of neurons (they start in pairs)" if pairs else "a number of neurons"
        raise InvalidInputError(f"width must be {kind}, got {width}.")


def _permuted(train: Rows, key: Key[Array, ""], preprocess: bool) -> Rows:
    """The rows with labels in random order, linear part removed again; padding stays last."""
    order = jnp.argsort(jax.random.uniform(key, train.weight.shape) + 2.0 * (1.0 - train.weight))
    shuffled = train._replace(y=train.y[order])
    return without(shuffled, linear_part(shuffled)) if preprocess else shuffled


def _normal(key: Key[Array, ""], shape: tuple[int, ...]) -> Array:
    return jax.random.normal(key, shape, jnp.float32)
