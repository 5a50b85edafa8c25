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
from featlearn.learners._head import HeadData, gradient_head, head_moments, ridge_head
from featlearn.learners._rows import sum_over_rows
from featlearn.learners._split import split_weights
from featlearn.precision import double_inside, double_precision
from featlearn.samples import Sample, check_sample


class Start(NamedTuple):
    """The network before the step: hidden weights, output weights, biases."""

    w: Float[Array, "m d"]
    a: Float[Array, "m k"]
    b: Float[Array, "m"]


class OneStepFit(eqx.Module):
    """A fitted network α + β·x + aᵀσ(Wx + b)."""

    constant: Float[Array, "k"]
    linear: Float[Array, "d k"]
    weight: Float[Array, "m d"]
    bias: Float[Array, "m"]
    head: Float[Array, "m k"]
    record: dict[str, Any]
    learner: "OneStep"
    flat: bool = eqx.field(static=True)  # labels had shape (n,)

    @double_inside
    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
        x = _like_weights(x, self.weight)
        hidden = self._hidden(x).astype(self.head.dtype)
        out = self.constant + x.astype(self.head.dtype) @ self.linear + hidden @ self.head
        return out[:, 0] if self.flat else out

    @double_inside
    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n m"]:
        """The hidden layer σ(Wx + b); level 0 is x itself."""
        if level not in (0, 1):
            raise InvalidInputError(f"This network has levels 0 and 1, got level {level}.")
        x = _like_weights(x, self.weight)
        return self._hidden(x) if level else x

    def _hidden(self, x: Array) -> Array:
        return jax.nn.relu(x @ self.weight.T + self.bias)

    def transfer(self, sample: Sample, *, key: Key[Array, ""]) -> "OneStepFit":
        """The same features with a new head aᵀσ(Wx + b), fitted on `sample` alone.

        The constant and linear parts are not carried over nor fitted apart: estimating β from N
        samples costs d/N in variance, and the new head needs no d.
        """
        check_sample(sample)
        return _transfer(self, _as_arrays(sample), key)

    def transfer_arrays(self, sample: Sample, key: Key[Array, ""]) -> "OneStepFit":
        """`transfer` without checks, for a fleet."""
        y = _columns(sample.y)
        k = y.shape[1]
        data = HeadData(sample.x, y, *split_weights(sample))
        head, record = self.learner._fit_head(self._hidden, data, jnp.ones((self.bias.size, k)))
        return OneStepFit(
            constant=jnp.zeros(k, jnp.float64),
            linear=jnp.zeros((sample.dim, k), jnp.float64),
            weight=self.weight,
            bias=self.bias,
            head=head,
            record=record,
            learner=self.learner,
            flat=sample.y.ndim == 1,
        )

    @property
    def rank(self) -> int:
        """How many directions stand out of what permuted labels give (parallel analysis)."""
        if "null_spectrum" not in self.record:
            raise InvalidInputError(
                "The number of directions was not estimated in this fit: "
                "fit with estimate_rank=True, or give directions(rank=...)."
            )
        null = np.asarray(self.record["null_spectrum"])[0]
        return int(np.sum(np.asarray(self.record["spectrum"]) > NULL_MARGIN * null))

    def directions(self, rank: int | None = None) -> Float[Array, "d r"]:
        """An orthonormal basis of the subspace that the neurons found, strongest first."""
        wanted = self.rank if rank is None else rank
        if not 0 <= wanted <= self.weight.shape[1]:
            raise InvalidInputError(
                f"rank must lie between 0 and the dimension {self.weight.shape[1]}, got {wanted}."
            )
        values, vectors = np.linalg.eigh(np.asarray(self.weight, np.float64).T @ self.weight)
        return jnp.asarray(vectors[:, np.argsort(values)[::-1][:wanted]])


NULL_MARGIN = 1.25  # the largest singular value under permuted labels fluctuates by under 25 %


class OneStep(eqx.Module):
    """One gradient step on the first layer, then ridge on the second.

    width            number of neurons, even
    step             norm of the neurons after the step; 0 keeps the random start (random features)
    symmetric        False starts from independent neurons: the network is not 0 (a control)
    bias             "redraw" after the step, or "keep": drawn before the step and kept
    head             "ridge", or "gradient": literal gradient descent with weight decay 2λ,
                     at the λ that ridge chose, for at most `head_steps` steps
    preprocess       remove the constant and linear part of the training labels
    estimate_rank    also take the step on permuted labels, so that `fit.rank` is known
    """

    width: int = eqx.field(static=True)
    step: Float[Array, ""] | float = 1.0
    symmetric: bool = eqx.field(static=True, default=True)
    bias: Literal["redraw", "keep"] = eqx.field(static=True, default="redraw")
    head: Literal["ridge", "gradient"] = eqx.field(static=True, default="ridge")
    preprocess: bool = eqx.field(static=True, default=True)
    estimate_rank: bool = eqx.field(static=True, default=True)
    head_steps: int = eqx.field(static=True, default=200_000)
    penalties: tuple[float, ...] = eqx.field(static=True, default=PENALTIES)

    def __check_init__(self) -> None:
        if self.width < 2 or self.width % 2:
            raise InvalidInputError(
                f"width must be an even number of neurons (they start in pairs), got {self.width}."
            )
        if isinstance(self.step, int | float) and not (0 <= self.step < np.inf):
            raise InvalidInputError(f"step must be finite and at least 0, got {self.step}.")
        for name, value, allowed in (
            ("bias", self.bias, ("redraw", "keep")),
            ("head", self.head, ("ridge", "gradient")),
        ):
            if value not in allowed:
                raise InvalidInputError(f"{name} must be one of {allowed}, got {value!r}.")
        if not self.penalties or min(self.penalties) <= 0:
            raise InvalidInputError("penalties must be a non-empty tuple of positive numbers.")

    def fit(self, sample: Sample, *, key: Key[Array, ""]) -> OneStepFit:
        """Fit on a sample; the last fifth of its rows chooses λ."""
        check_sample(sample)
        return _fit(self, _as_arrays(sample), key)

    def fit_arrays(self, sample: Sample, key: Key[Array, ""]) -> OneStepFit:
        """`fit` without checks: pure, and so fit for `jit` and `vmap`."""
        train, validate = split_weights(sample)
        y = _columns(sample.y).astype(jnp.float64)
        constant, linear = self._simple_part(sample.x, y, train)
        rest = y - constant - sample.x.astype(jnp.float64) @ linear
        key_start, key_bias, key_null = jax.random.split(key, 3)
        start = self._start(key_start, sample.dim, y.shape[1])
        weight, record = self._hidden_weights(start, sample.x, rest, train, key_null)
        bias = start.b if self.bias == "keep" else jax.random.normal(key_bias, start.b.shape)
        bias = bias.astype(sample.x.dtype)

        def hidden(x: Array) -> Array:
            return jax.nn.relu(x @ weight.T + bias)

        data = HeadData(sample.x, rest, train, validate)
        head, head_record = self._fit_head(hidden, data, start.a)
        return OneStepFit(
            constant=constant,
            linear=linear,
            weight=weight,
            bias=bias,
            head=head,
            record=record | head_record,
            learner=self,
            flat=sample.y.ndim == 1,
        )

    def _simple_part(self, x: Array, y: Array, train: Array) -> tuple[Array, Array]:
        """α = mean y and β = mean yx over the training rows."""
        if not self.preprocess:
            return jnp.zeros(y.shape[1]), jnp.zeros((x.shape[1], y.shape[1]))
        n = jnp.maximum(train.sum(), 1.0).astype(jnp.float64)
        weighted = y * train[:, None]
        return weighted.sum(0) / n, x.astype(jnp.float64).T @ weighted / n

    def _start(self, key: Array, dim: int, outputs: int) -> Start:
        m = self.width // 2 if self.symmetric else self.width
        key_w, key_a, key_b = jax.random.split(key, 3)
        w = jax.random.normal(key_w, (m, dim), jnp.float32) / np.sqrt(dim)
        a = jax.random.rademacher(key_a, (m, outputs), jnp.float32)
        b = jax.random.normal(key_b, (m,), jnp.float32)
        b = b if self.bias == "keep" else jnp.zeros_like(b)
        if not self.symmetric:
            return Start(w, a, b)
        return Start(jnp.concatenate([w, w]), jnp.concatenate([a, -a]), jnp.concatenate([b, b]))

    def _hidden_weights(
        self, start: Start, x: Array, y: Array, train: Array, key: Array
    ) -> tuple[Array, dict[str, Array]]:
        """W after the step, with what is to be known of it."""
        descent = self._descent(start, x, y, train)
        rms = jnp.sqrt(jnp.mean(jnp.sum(descent**2, axis=1)))
        eta = self.step / jnp.maximum(rms, jnp.finfo(rms.dtype).tiny)
        weight = jnp.where(jnp.asarray(self.step) > 0, eta * descent, start.w)
        record = {"gradient_norm": rms, "spectrum": _spectrum(weight)}
        if self.estimate_rank:
            shuffled = y[_permutation(key, train)]
            constant, linear = self._simple_part(x, shuffled, train)
            rest = shuffled - constant - x.astype(jnp.float64) @ linear
            null = self._descent(start, x, rest, train)
            record["null_spectrum"] = _spectrum(eta * null)
        return weight.astype(x.dtype), record

    def _descent(self, start: Start, x: Array, y: Array, train: Array) -> Array:
        """−∇_W L = (2/n) Σ_i (y_i − f(x_i)) a_j σ'(w_j·x_i + b_j) x_i."""
        half = start.w.shape[0] // 2 if self.symmetric else start.w.shape[0]
        w, a, b = (part[:half].astype(x.dtype) for part in start)

        def sums(x: Array, y: Array, train: Array) -> Array:
            before = x @ w.T + b
            residual = y if self.symmetric else y - jax.nn.relu(before) @ a
            pull = (residual * train[:, None]) @ a.T * (before > 0)
            return pull.T @ x

        total = sum_over_rows(sums, (x, y.astype(x.dtype), train), row_cost=2 * half)
        descent = 2 * total / jnp.maximum(train.sum(), 1.0)
        return jnp.concatenate([descent, -descent]) if self.symmetric else descent

    def _fit_head(
        self, hidden: Any, data: HeadData, start: Array
    ) -> tuple[Array, dict[str, Array]]:
        path = ridge_head(hidden, self.width, data, self.penalties)
        record = path.record()
        if self.head == "ridge":
            return path.coefficients, record
        train, _ = head_moments(hidden, self.width, data)
        a, residual, taken = gradient_head(train, path.penalty, start, self.head_steps)
        return a, record | {"head_residual": residual, "head_steps": taken}


@double_precision
@eqx.filter_jit
def _fit(learner: OneStep, sample: Sample, key: Array) -> OneStepFit:
    return learner.fit_arrays(sample, key)


@double_precision
@eqx.filter_jit
def _transfer(fitted: OneStepFit, sample: Sample, key: Array) -> OneStepFit:
    return fitted.transfer_arrays(sample, key)


def _as_arrays(sample: Sample) -> Sample:
    return jax.tree.map(jnp.asarray, sample)


def _columns(y: Float[Array, "n *k"]) -> Float[Array, "n k"]:
    return y[:, None] if y.ndim == 1 else y


def _like_weights(x: Array, weight: Array) -> Array:
    x = jnp.asarray(x)
    if x.ndim != 2 or x.shape[1] != weight.shape[1]:
        raise InvalidInputError(
            f"x must have shape (n, {weight.shape[1]}) like the data of the fit, got {x.shape}."
        )
    return x.astype(weight.dtype)


def _spectrum(weight: Float[Array, "m d"]) -> Float[Array, "d"]:
    """Singular values of W over √m, largest first: their squares sum to the mean squared norm."""
    gram = weight.astype(jnp.float64).T @ weight.astype(jnp.float64) / weight.shape[0]
    return jnp.sqrt(jnp.maximum(jnp.linalg.eigvalsh(gram)[::-1], 0.0))


def _permutation(key: Array, train: Float[Array, "n"]) -> Array:
    """A random order of the training rows; padding and validation rows go last."""
    return jnp.argsort(jax.random.uniform(key, train.shape) + 2.0 * (1.0 - train))
