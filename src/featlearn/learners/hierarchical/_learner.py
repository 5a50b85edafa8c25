"""`Hierarchical`: the paper's re-parameterised network trained by its Algorithm 1.

The equations are in `_network`, `_regulariser`, `_start` and `_algorithm`.
"""

from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.learners._fitting import fit_checked
from featlearn.learners._split import Rows, split_rows
from featlearn.learners.hierarchical._algorithm import Rules
from featlearn.learners.hierarchical._checks import check_numbers, check_whole, length
from featlearn.learners.hierarchical._data import as_sample, divided, mean_of, scale_of, typed
from featlearn.learners.hierarchical._fit import HierarchicalFit
from featlearn.learners.hierarchical._graph import Graph, as_graph, standard_graph
from featlearn.learners.hierarchical._network import Form, Frozen
from featlearn.learners.hierarchical._projections import MOST_DRAWS, draw_all, pairs
from featlearn.learners.hierarchical._run import Plan, run
from featlearn.precision import double_precision
from featlearn.samples import Sample
from featlearn.training import Epochs, Fresh, Optimiser, Source, check_batch

OPTIMISER = Optimiser("adam", rate=0.012, epsilon=1e-12, clip=1.0)


class Hierarchical(eqx.Module):
    """W, K and the frozen R of layers 2 … L, trained by Algorithm 1.

    alphas       α_2 … α_L: leaves, so that a grid of them is one fleet
    graph        {ℓ: the levels that layer ℓ reads}; by default J_2 = {0, 1}, J_ℓ = {0, ℓ−1}
    neurons      m, the width of W
    most         the most that k_ℓ may become, one for all layers or one for each
    steps        how many at most
    batch        points in a step: fresh ones, or drawn with replacement from the sample
    optimiser    "sgd" as in the paper, or "adam"; its clip bounds the norm of the gradient
    rates        multiples of its step size, one for each layer; by default 6 above layer 2
    anneal       the step size is multiplied by ε0^anneal; 0 keeps it
    noise        standard deviation of the Gaussian noise in the gradient of W
    up, down     Thres_up and Thres_dn, one for each layer
    rank         k_ℓ is the number of singular values above this fraction of the largest
    distil       (λ3, λ4, λ5) in units of α_ℓ²
    decay        λ6 in units of ε0²
    error        ε, where the error level stops to be halved
    truncate     B′: the inner activation is z² for |z| ≤ B′ and constant for |z| ≥ 2B′
    mean_square  E x_i² where it is known; by default that of the points themselves
    candidates   how many R are drawn, of which the best conditioned is kept: 1 to 256
    below        what is left of a layer's step size once the next is unlocked: 1 as in the paper,
                 0 freezes it and nothing is corrected (a control)
    every        steps between two looks at the rules
    precision    "single" or "double"

    Labels are divided by B = √mean y²: noise, thresholds, ε and the clip are in these units.

    `record`: step, objective, error_level (one value for each look at the rules); unlock_step,
    start_step, widths (k_ℓ found), singular_values (as k_ℓ was found), one row for each layer;
    done_step; diverged, diverged_step, rate; label_scale (B); validation, the squared error on
    the rows held out (or on fresh points) over their second moment. A step of −1 is never.
    """

    alphas: Any
    graph: Graph = eqx.field(static=True)
    neurons: int = eqx.field(static=True)
    most: tuple[int, ...] = eqx.field(static=True)
    up: Any
    down: Any
    steps: int = eqx.field(static=True)
    every: int = eqx.field(static=True)
    batch: int = eqx.field(static=True)
    optimiser: Optimiser
    rates: Any
    anneal: Any
    noise: Any
    rank: Any
    distil: Any
    decay: Any
    error: Any
    truncate: Any
    mean_square: Any
    below: Any
    candidates: Any
    precision: Literal["single", "double"] = eqx.field(static=True)

    def __init__(
        self,
        alphas: Any,
        graph: Any = None,
        *,
        up: Any = None,
        down: Any = None,
        neurons: int = 24,
        most: Any = 4,
        steps: int = 4000,
        every: int = 50,
        batch: int = 128,
        optimiser: Optimiser = OPTIMISER,
        rates: Any = None,
        anneal: Any = 0.5,
        noise: Any = 1e-5,
        rank: Any = 0.1,
        distil: Any = (0.5, 0.15, 0.05),
        decay: Any = 3e-4,
        error: Any = 1e-2,
        truncate: Any = 100.0,
        mean_square: Any = None,
        candidates: Any = MOST_DRAWS,
        below: Any = 1.0,
        precision: Literal["single", "double"] = "single",
    ) -> None:
        layers = length("alphas", alphas)
        self.alphas = alphas
        self.graph = standard_graph(layers) if graph is None else as_graph(graph, layers)
        self.neurons, self.steps, self.every, self.batch = neurons, steps, every, batch
        self.most = (most,) * layers if isinstance(most, int) else tuple(int(k) for k in most)
        ladder = thresholds(layers)
        self.up = ladder[0] if up is None else up
        self.down = ladder[1] if down is None else down
        self.rates = (1.0, *(6.0,) * (layers - 1)) if rates is None else rates
        self.optimiser, self.anneal, self.noise, self.rank = optimiser, anneal, noise, rank
        self.distil, self.decay, self.error, self.truncate = distil, decay, error, truncate
        self.mean_square, self.candidates = mean_square, candidates
        self.below, self.precision = below, precision

    def __check_init__(self) -> None:
        layers = len(self.graph)
        for name in ("neurons", "steps", "every", "batch"):
            check_whole(name, getattr(self, name))
        if len(self.most) != layers or min(self.most) < 1:
            raise InvalidInputError(
                f"most must be one whole number of at least 1 for each of {layers} layers, "
                f"got {self.most}."
            )
        if self.steps % self.every:
            raise InvalidInputError(
                f"steps must be a multiple of every, the steps between two looks at the rules, "
                f"got {self.steps} and {self.every}."
            )
        for name in ("up", "down", "rates"):
            if length(name, getattr(self, name)) != layers:
                raise InvalidInputError(f"{name} must have one number for each of {layers} layers.")
        if self.precision not in ("single", "double"):
            raise InvalidInputError(
                f"precision must be 'single' or 'double', got {self.precision!r}."
            )
        check_numbers(self)

    def fit(self, sample: Sample, *, key: Key[Array, ""]) -> HierarchicalFit:
        """Train on the first four fifths of the rows; the rest validates."""
        n = getattr(sample.x, "shape", (0,))[0]
        if n >= 10:
            check_batch(self.batch, n - n // 5)
        _check_single(sample)
        fitted: HierarchicalFit = fit_checked(self, sample, key)
        return fitted

    def fit_arrays(self, sample: Sample, key: Key[Array, ""]) -> HierarchicalFit:
        """`fit` without checks: pure, and so fit for `jit` and `vmap`."""
        split = split_rows(sample)
        train, held = (as_sample(rows, self._dtype) for rows in split)
        scale = scale_of(train)
        source = Epochs(divided(train, scale), self.batch, replace=True)
        return self._fit(source, train, held, scale, key, flat=sample.y.ndim == 1)

    def fit_stream(self, task: Any, *, key: Key[Array, ""], meter: int = 8192) -> HierarchicalFit:
        """Train on fresh points of `task.batch(key, step, n)`.

        The objective of the rules is measured on `meter` points, and the validation error on as
        many others.
        """
        check_whole("meter", meter)
        return _fit_stream(self, task, key, meter)

    def fit_stream_arrays(
        self, task: Any, key: Key[Array, ""], meter: int = 8192
    ) -> HierarchicalFit:
        """`fit_stream` without checks: pure."""
        key, data = jax.random.split(key)
        train, held = (
            as_sample(Rows(s.x, s.y, jnp.ones(meter, s.x.dtype)), self._dtype)
            for s in (task.batch(data, jnp.int32(i), meter) for i in (-1, -2))
        )
        scale = scale_of(train)

        def drawn(key: Key[Array, ""], step: Array) -> Sample:
            fresh = task.batch(key, step, self.batch)
            return divided(typed(fresh, self._dtype), scale)

        return self._fit(Fresh(drawn), train, held, scale, key, flat=True)

    @property
    def _dtype(self) -> Any:
        return np.dtype(np.float32 if self.precision == "single" else np.float64)

    def _fit(
        self,
        source: Source,
        train: Sample,
        held: Sample,
        scale: Float[Array, ""],
        key: Key[Array, ""],
        *,
        flat: bool,
    ) -> HierarchicalFit:
        form = Form(train.dim, self.graph, self.most, self.neurons)
        key_start, key_run = jax.random.split(key)
        frozen = self._frozen(form, train, key_start)
        unit = eqx.tree_at(lambda f: f.alphas, frozen, frozen.alphas / scale)
        noise = jnp.asarray(self.noise, self._dtype)
        plan = Plan(form, self.optimiser, noise, self.steps, self.every)
        ran = run(plan, self._rules, unit, source, divided(train, scale), key_run)
        fitted = HierarchicalFit(
            weights=ran.weights,
            frozen=frozen,
            widths=ran.phase.widths,
            form=form,
            flat=flat,
            record=ran.record | {"label_scale": scale},
            checkpoints=ran.checkpoints,
        )
        return _validated(fitted, held)

    def _frozen(self, form: Form, train: Sample, key: Key[Array, ""]) -> Frozen:
        known = self.mean_square
        mean = mean_of(train.x**2, train) if known is None else jnp.asarray(known)
        tables = jax.vmap(lambda k: draw_all(k, max(form.most), self.candidates, self._dtype))(
            jax.random.split(key, form.layers)
        )
        return Frozen(
            alphas=self._vector(self.alphas),
            mean_square=jnp.broadcast_to(mean, (form.dim,)).astype(self._dtype),
            projections=tuple(
                table[: most + 1, : pairs(most), :most]
                for table, most in zip(tables, form.most, strict=True)
            ),
            cut=jnp.asarray(self.truncate, self._dtype),
        )

    @property
    def _rules(self) -> Rules:
        def number(value: Any) -> Array:
            return jnp.asarray(value, self._dtype)

        return Rules(
            up=self._vector(self.up),
            down=self._vector(self.down),
            rank=number(self.rank),
            error=number(self.error),
            distil=self._vector(self.distil),
            decay=number(self.decay),
            rates=self._vector(self.rates),
            anneal=number(self.anneal),
            below=number(self.below),
        )

    def _vector(self, values: Any) -> Float[Array, "n"]:
        return jnp.stack([jnp.asarray(v, self._dtype) for v in values])


def thresholds(layers: int, share: float = 0.1) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Thres_up and Thres_dn where each layer brings `share` of the labels' second moment below it.

    Layer 2 is unlocked at once. With layers 2 … ℓ−1 learned the objective is near share^{ℓ−2}:
    there K_{ℓ−1} starts (at twice that) and W_ℓ is unlocked (at one and a half), so that
    up(2) > dn(2) > up(3) > …; K_L starts at a five-hundredth of what the last layer brings.
    """
    brings = [share ** (i + 1) for i in range(layers - 1)]
    up = (np.inf, *(1.5 * b for b in brings))
    last = share ** (layers - 1)
    return tuple(up), (*(2 * b for b in brings), 0.002 * last)


def _validated(fitted: HierarchicalFit, held: Sample) -> HierarchicalFit:
    predicted = fitted._predict(held.x, truncated=False)
    error = mean_of((predicted - held.y) ** 2, held) / mean_of(held.y**2, held)
    return eqx.tree_at(lambda f: f.record, fitted, fitted.record | {"validation": error})


@double_precision
@eqx.filter_jit
def _fit_stream(
    learner: Hierarchical, task: Any, key: Key[Array, ""], meter: int
) -> HierarchicalFit:
    return learner.fit_stream_arrays(task, key, meter)


def _check_single(sample: Sample) -> None:
    if getattr(sample.y, "ndim", 1) == 2 and sample.y.shape[1] != 1:
        raise InvalidInputError(
            f"This network has one output, got labels of shape {sample.y.shape}: "
            "fit each column by itself."
        )
