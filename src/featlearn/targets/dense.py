"""Dense networks with quadratic activation, the targets of hierarchical learning.

    S_ℓ = Σ_{j ∈ J_ℓ} W_{ℓ,j} G_j,    G_ℓ = σ(S_ℓ),    σ(z) = z²,    G_0 = x
    G*(x) = Σ_ℓ α_ℓ w_ℓᵀ G_ℓ,    w_ℓ ∈ {±1}^{k_ℓ}

trainable first layer   ℓ = 1 … L                                         (the slides)
fixed first layer       S_1 = G_1 = σ(x) − E σ(x), and ℓ = 2 … L above it (the paper)

W_{ℓ,j} = U Σ Vᵀ with uniform frames and singular values in [1/κ, κ]. The label is a polynomial of
degree 2^L. S_ℓ are the hidden features: layers above see them up to a rotation at most.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.inputs import Inputs
from featlearn.inputs._checks import (
    check_count,
    check_finite,
    check_shape,
    default_float,
    traced,
)
from featlearn.targets import _graph
from featlearn.targets._base import Facts, Target
from featlearn.targets._dense_facts import dense_facts
from featlearn.targets._frames import conditioned

FirstLayer = Literal["trainable", "fixed"]


class Dense(Target):
    """G*(x) = Σ_ℓ α_ℓ w_ℓᵀ G_ℓ(x); build one with `dense`, `toy` or `parity_network`.

    Weights, gaps, signs and E σ(x) are leaves of the pytree and the graph is not: targets of one
    structure stack. Lists run over the layers with weights, which start at `first_level`.
    """

    weights: tuple[tuple[Float[Array, "_ _"], ...], ...]  # W_{ℓ,j} (k_ℓ, k_j), as in graph[ℓ]
    gaps: Float[Array, "layers"]
    signs: tuple[Float[Array, "_"], ...]
    square_mean: Float[Array, "*d"] | None  # E σ(x); None where the first layer has weights
    graph: _graph.Graph = eqx.field(static=True)
    dim: int = eqx.field(static=True)

    @property
    def first_level(self) -> int:
        """The lowest layer that has weights: 1, or 2 above a fixed first layer."""
        return 1 if self.square_mean is None else 2

    @property
    def levels(self) -> int:
        return self.first_level + len(self.graph) - 1

    @property
    def widths(self) -> tuple[int, ...]:
        """k_ℓ of the layers with weights."""
        return tuple(signs.shape[-1] for signs in self.signs)

    @property
    def paper_skips(self) -> bool:
        """Whether the graph meets the paper's conditions on skip connections."""
        return _graph.has_paper_skips(self.graph, self.first_level)

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        outputs = self._run(x)[1]
        levels = range(self.first_level, self.levels + 1)
        return sum((self._part(outputs, s) for s in levels), jnp.zeros((), x.dtype))

    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n k"]:
        """S_ℓ(x), before the activation; of a fixed first layer S_1 = G_1."""
        if not 0 <= level <= self.levels:
            return super().features(x, level)
        return self._run(x, level)[0][level]

    def outputs(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n k"]:
        """G_ℓ(x), after the activation: what the layers above read."""
        if not 0 <= level <= self.levels:
            return super().features(x, level)
        return self._run(x, level)[1][level]

    def part(self, x: Float[Array, "n d"], level: int) -> Float[Array, "n"]:
        """α_ℓ w_ℓᵀ G_ℓ(x), what layer ℓ adds to the label."""
        self._check_weighted(level)
        return self._part(self._run(x, level)[1], level)

    def gap(self, level: int) -> Float[Array, ""]:
        """α_ℓ."""
        self._check_weighted(level)
        return self.gaps[level - self.first_level]

    def facts(self, inputs: Inputs) -> Facts:
        """Degree, levels, gaps and S*; exact moments where S* is small and x is Gaussian.

        The moments of a level that is not small are Monte-Carlo ones: `level_moments`.
        """
        if inputs.dim != self.dim:
            raise InvalidInputError(
                f"The target has dim {self.dim} and the inputs have dim {inputs.dim}. "
                "Give both the same dim."
            )
        return dense_facts(self, inputs)

    def _run(self, x: Float[Array, "n d"], highest: int | None = None) -> tuple[list, list]:
        """S_0 … S_ℓ and G_0 … G_ℓ up to the highest layer that is needed."""
        features, outputs = [x], [x]
        if self.square_mean is not None:
            features.append(x**2 - self.square_mean.astype(x.dtype))
            outputs.append(features[-1])
        highest = self.levels if highest is None else highest
        for weights, sources in zip(self.weights, self.graph, strict=True):
            if len(features) > highest:
                break
            # "highest": a GPU's default for float32 would leave three digits of a label
            read = zip(weights, sources, strict=True)
            terms = (
                jnp.matmul(outputs[j], w.T.astype(x.dtype), precision="highest") for w, j in read
            )
            s = sum(terms, jnp.zeros((), x.dtype))
            features.append(s)
            outputs.append(s**2)
        return features, outputs

    def _part(self, outputs: list, level: int) -> Float[Array, "n"]:
        at, g = level - self.first_level, outputs[level]
        return self.gaps[at].astype(g.dtype) * jnp.sum(g * self.signs[at].astype(g.dtype), axis=-1)

    def _check_weighted(self, level: int) -> None:
        if not self.first_level <= level <= self.levels:
            raise InvalidInputError(
                f"Layers {self.first_level} to {self.levels} of this target add to the label, "
                f"got level {level}."
            )


def dense(
    dim: int,
    widths: Sequence[int],
    gaps: Any,
    graph: Mapping[int, Iterable[int]] | None = None,
    kappa: Any = 1.0,
    first_layer: FirstLayer = "trainable",
    *,
    signs: Literal["plus", "random"] | Sequence[Any] = "plus",
    square_mean: Any = 1.0,
    paper_skips: bool = False,
    key: Key[Array, ""],
) -> Dense:
    """A random well-conditioned dense target.

    widths       k_ℓ of the layers with weights: ℓ = 1 … L, or 2 … L above a fixed first layer
    gaps         α_ℓ > 0 of the same layers
    graph        {ℓ: the layers that ℓ reads}; by default all earlier ones (slides), or all but
                 ℓ − 2 (paper)
    kappa        the singular values of each W_{ℓ,j} are log-uniform in [1/κ, κ]
    signs        w_ℓ: "plus" (all +1), "random", or one array of ±1 for each layer
    square_mean  E x_i², subtracted by a fixed first layer: 1 for inputs of mean 0 and variance 1
    paper_skips  refuse a graph that does not meet the paper's conditions

        dense(100, widths=(10, 3), gaps=(1.0, 0.1), key=key)
        dense(40, (6, 2), (1.0, 0.2), first_layer="fixed", key=key)
    """
    dim = check_count("dim", dim)
    first = _first_level(first_layer)
    sizes = _checked_widths(widths, dim)
    last = first + len(sizes) - 1
    alphas = _checked_gaps(gaps, len(sizes))
    _check_kappa(kappa)
    whole = _whole_graph(graph, first, last)
    if paper_skips:
        _graph.require_paper_skips(whole, first)
    weight_key, sign_key = jax.random.split(key)
    width_of = {0: dim, **({1: dim} if first == 2 else {}), **dict(enumerate(sizes, first))}
    weights = tuple(
        tuple(
            conditioned(_at(weight_key, level, j), width_of[level], width_of[j], kappa)
            for j in sources
        )
        for level, sources in enumerate(whole, first)
    )
    return Dense(
        weights=weights,
        gaps=alphas,
        signs=_signs(signs, sizes, sign_key),
        square_mean=None if first == 1 else _square_mean(square_mean, dim),
        graph=whole,
        dim=dim,
    )


def slides_widths(dim: int, levels: int) -> tuple[int, ...]:
    """k_ℓ ≈ d^(1/2^ℓ) for ℓ = 1 … L, at least 1."""
    check_count("dim", dim), check_count("levels", levels)
    return tuple(max(1, round(dim ** (0.5**level))) for level in range(1, levels + 1))


def slides_gaps(dim: int, levels: int) -> tuple[float, ...]:
    """α_1 = 1 and α_{ℓ+1} = α_ℓ d^(−1/2^ℓ)."""
    check_count("dim", dim), check_count("levels", levels)
    ratios = [1.0, *(float(dim) ** -(0.5**level) for level in range(1, levels))]
    return tuple(float(a) for a in np.cumprod(ratios))


def _at(key: Key[Array, ""], level: int, j: int) -> Key[Array, ""]:
    """A key for each connection, so that another graph keeps the weights that both have."""
    return jax.random.fold_in(jax.random.fold_in(key, level), j)


def _first_level(first_layer: str) -> int:
    if first_layer not in ("trainable", "fixed"):
        raise InvalidInputError(f'first_layer must be "trainable" or "fixed", got {first_layer!r}.')
    return 1 if first_layer == "trainable" else 2


def _whole_graph(graph: Mapping[int, Iterable[int]] | None, first: int, last: int) -> _graph.Graph:
    if graph is not None:
        return _graph.checked_graph(graph, first, last)
    return (_graph.every_earlier if first == 1 else _graph.paper_default)(first, last)


def _checked_widths(widths: Sequence[int], dim: int) -> tuple[int, ...]:
    sizes = tuple(check_count("every width", k) for k in widths)
    if not sizes:
        raise InvalidInputError("widths is empty. Give one width for each layer.")
    if list(sizes) != sorted(sizes, reverse=True) or sizes[0] > dim:
        warnings.warn(
            f"The theory needs d ≥ k_1 ≥ k_2 ≥ …, and the widths {sizes} grow with d = {dim}.",
            stacklevel=3,
        )
    return sizes


def _checked_gaps(gaps: Any, count: int) -> Float[Array, "layers"]:
    check_shape("gaps", gaps, (count,))
    check_finite("gaps", gaps)
    if not traced(gaps) and np.min(np.asarray(gaps)) <= 0:
        raise InvalidInputError(
            f"gaps must be positive, one α for each layer, got {np.asarray(gaps).tolist()}."
        )
    return default_float(gaps)


def _check_kappa(kappa: Any) -> None:
    if not traced(kappa) and not 1 <= float(kappa) < np.inf:
        raise InvalidInputError(
            f"kappa must be at least 1 and finite, got {kappa}: singular values lie in [1/κ, κ]."
        )


def _square_mean(square_mean: Any, dim: int) -> Float[Array, "*d"]:
    check_shape("square_mean", square_mean, (), (dim,))
    check_finite("square_mean", square_mean)
    return default_float(square_mean)


def _signs(
    signs: Literal["plus", "random"] | Sequence[Any], sizes: tuple[int, ...], key: Key[Array, ""]
) -> tuple[Float[Array, "_"], ...]:
    if isinstance(signs, str):
        if signs not in ("plus", "random"):
            raise InvalidInputError(f'signs must be "plus", "random" or arrays, got {signs!r}.')
        if signs == "plus":
            return tuple(default_float(jnp.ones(k)) for k in sizes)
        keys = jax.random.split(key, len(sizes))
        drawn = zip(keys, sizes, strict=True)
        return tuple(default_float(jax.random.rademacher(k, (n,), jnp.int32)) for k, n in drawn)
    if len(signs) != len(sizes):
        raise InvalidInputError(f"signs must be one array for each of {len(sizes)} layers.")
    for given, k in zip(signs, sizes, strict=True):
        check_shape("the signs of a layer", given, (k,))
        if not traced(given) and not np.all(np.abs(np.asarray(given)) == 1):
            raise InvalidInputError(f"signs must be +1 or −1, got {np.asarray(given).tolist()}.")
    return tuple(default_float(given) for given in signs)
