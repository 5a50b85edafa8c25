"""Layers: a linear map of the input, of its patches, or a frame around other layers.

    Dense   y = φ(Wx + b)                 x of shape (d,)
    Conv    y = φ(W * x + b)              x of shape (height, width, channels), padded "same"
    Skip    y = x + layers(x)
    φ(z)    z,  ReLU(z),  or a gate: 1̃[⟨w₁, x⟩ ≥ 0] z with w₁ frozen (see `gates`)

A layer is frozen and holds no weight: `draw` gives the weights that are trained and those that are
not, and `apply` computes with them. What an activation sees before it acts, z or ⟨w₁, x⟩, is handed
on as well: its signs tell how far a network is from where it started.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.networks.gates import Gate

Shape = tuple[int, ...]
Weights = dict[str, Any]
After = Literal["relu"] | Gate | None
Bias = bool | Literal["drawn"]
GAIN = 2.0  # of ReLU networks: the sizes of layers keep their scale


class Drawn(NamedTuple):
    """Weights that are trained, and weights that stay."""

    trained: Any
    frozen: Any


class Passed(NamedTuple):
    """The output of a layer, and what its activations saw."""

    out: Array
    seen: tuple[Array, ...]


@runtime_checkable
class Layer(Protocol):
    """What a description is made of."""

    def shape(self, given: Shape) -> Shape:
        """The shape of the output of one point."""

    def draw(self, key: Key[Array, ""], given: Shape) -> Drawn:
        """Random weights in float32, for points of this shape."""

    def apply(self, trained: Any, frozen: Any, x: Float[Array, "n *in"]) -> Passed:
        """The layer at n points."""

    def with_gates(self, gate: Gate) -> "Layer":
        """The same layer with every ReLU replaced by a gate."""


@dataclass(frozen=True)
class Dense:
    """φ(Wx + b) with `width` outputs.

    after      what follows: None, "relu" or a `Gate`
    bias       whether there is b: it starts at 0, or with "drawn" as a weight of W(x, 1) does
    variance   of the entries of W at the start; 2 / inputs by default
    """

    width: int
    after: After = None
    bias: Bias = False
    variance: float | None = None

    def __post_init__(self) -> None:
        _check(self, width=self.width)

    def shape(self, given: Shape) -> Shape:
        if len(given) != 1:
            raise InvalidInputError(
                f"Dense takes points of one axis, got shape {given}: put Flatten() or MeanPool() "
                "before it."
            )
        return (self.width,)

    def draw(self, key: Key[Array, ""], given: Shape) -> Drawn:
        return _draw(self, key, (self.width, given[0]), given[0], self.width)

    def apply(self, trained: Weights, frozen: Weights, x: Float[Array, "n d"]) -> Passed:
        def linear(weights: Weights, x: Array) -> Array:
            z = jnp.matmul(x, weights["weight"].T, precision="highest")
            return z + weights["bias"] if self.bias else z

        return _activate(self.after, linear, trained, frozen, x)

    def with_gates(self, gate: Gate) -> "Dense":
        return replace(self, after=gate) if self.after == "relu" else self


@dataclass(frozen=True)
class Conv:
    """φ(W * x + b) with `channels` outputs at each place.

    size       side of the square patches
    stride     from one patch to the next
    after, bias, variance   as for `Dense`; the inputs are those of one patch
    """

    channels: int
    size: int = 3
    stride: int = 1
    after: After = None
    bias: Bias = False
    variance: float | None = None

    def __post_init__(self) -> None:
        _check(self, channels=self.channels, size=self.size, stride=self.stride)

    def shape(self, given: Shape) -> Shape:
        if len(given) != 3:
            raise InvalidInputError(
                f"Conv takes points of shape (height, width, channels), got {given}."
            )
        return (-(-given[0] // self.stride), -(-given[1] // self.stride), self.channels)

    def draw(self, key: Key[Array, ""], given: Shape) -> Drawn:
        patch = self.size**2 * given[2]
        return _draw(
            self, key, (self.size, self.size, given[2], self.channels), patch, self.channels
        )

    def apply(self, trained: Weights, frozen: Weights, x: Float[Array, "n h w c"]) -> Passed:
        def linear(weights: Weights, x: Array) -> Array:
            z = jax.lax.conv_general_dilated(
                x, weights["weight"], (self.stride, self.stride), "SAME",
                dimension_numbers=("NHWC", "HWIO", "NHWC"), precision="highest",
            )  # fmt: skip
            return z + weights["bias"] if self.bias else z

        return _activate(self.after, linear, trained, frozen, x)

    def with_gates(self, gate: Gate) -> "Conv":
        return replace(self, after=gate) if self.after == "relu" else self


@dataclass(frozen=True)
class Flatten:
    """Points of any shape as points of one axis."""

    def shape(self, given: Shape) -> Shape:
        return (math.prod(given),)

    def draw(self, key: Key[Array, ""], given: Shape) -> Drawn:
        return Drawn({}, {})

    def apply(self, trained: Weights, frozen: Weights, x: Float[Array, "n *in"]) -> Passed:
        return Passed(x.reshape(x.shape[0], -1), ())

    def with_gates(self, gate: Gate) -> "Flatten":
        return self


@dataclass(frozen=True)
class MeanPool:
    """The mean over all places, channel by channel."""

    def shape(self, given: Shape) -> Shape:
        if len(given) != 3:
            raise InvalidInputError(
                f"MeanPool takes points of shape (height, width, channels), got {given}."
            )
        return given[2:]

    def draw(self, key: Key[Array, ""], given: Shape) -> Drawn:
        return Drawn({}, {})

    def apply(self, trained: Weights, frozen: Weights, x: Float[Array, "n h w c"]) -> Passed:
        return Passed(x.mean(axis=(1, 2)), ())

    def with_gates(self, gate: Gate) -> "MeanPool":
        return self


@dataclass(frozen=True, init=False)
class Skip:
    """x + layers(x): the layers must give back the shape that they take."""

    layers: tuple[Layer, ...]

    def __init__(self, *layers: Layer) -> None:
        object.__setattr__(self, "layers", tuple(layers))

    def shape(self, given: Shape) -> Shape:
        out = given
        for layer in self.layers:
            out = layer.shape(out)
        if out != given:
            raise InvalidInputError(
                f"The layers of a Skip take shape {given} and give {out}: make them equal."
            )
        return given

    def draw(self, key: Key[Array, ""], given: Shape) -> Drawn:
        return draw_all(self.layers, key, given)

    def apply(self, trained: Any, frozen: Any, x: Float[Array, "n *in"]) -> Passed:
        inner = apply_all(self.layers, trained, frozen, x)
        return Passed(x.astype(inner.out.dtype) + inner.out, inner.seen)

    def with_gates(self, gate: Gate) -> "Skip":
        return Skip(*(layer.with_gates(gate) for layer in self.layers))


def draw_all(layers: tuple[Layer, ...], key: Key[Array, ""], given: Shape) -> Drawn:
    """Weights of layers in a row."""
    drawn = []
    for i, layer in enumerate(layers):
        drawn.append(layer.draw(jax.random.fold_in(key, i), given))
        given = layer.shape(given)
    return Drawn(tuple(d.trained for d in drawn), tuple(d.frozen for d in drawn))


def apply_all(
    layers: tuple[Layer, ...], trained: Any, frozen: Any, x: Float[Array, "n *in"]
) -> Passed:
    """Layers in a row."""
    seen: tuple[Array, ...] = ()
    for layer, weights, fixed in zip(layers, trained, frozen, strict=True):
        x, found = layer.apply(weights, fixed, x)
        seen += found
    return Passed(x, seen)


def _activate(
    after: After, linear: Any, trained: Weights, frozen: Weights, x: Float[Array, "n *in"]
) -> Passed:
    x = x.astype(trained["weight"].dtype)
    z = linear(trained, x)
    if after is None:
        return Passed(z, ())
    if after == "relu":
        return Passed(jax.nn.relu(z), (z,))
    gates = linear(frozen, x)
    return Passed(after.open(gates) * z, (gates,))


def _draw(layer: Any, key: Key[Array, ""], form: Shape, inputs: int, outputs: int) -> Drawn:
    """W ~ N(0, variance); a gate keeps a copy of the start."""
    variance = GAIN / inputs if layer.variance is None else layer.variance
    weights = {"weight": math.sqrt(variance) * jax.random.normal(key, form, jnp.float32)}
    if layer.bias:
        size = math.sqrt(variance) if layer.bias == "drawn" else 0.0
        other = jax.random.fold_in(key, 1)
        weights["bias"] = size * jax.random.normal(other, (outputs,), jnp.float32)
    frozen = dict(weights) if isinstance(layer.after, Gate) else {}
    return Drawn(weights, frozen)


def _check(layer: Any, **whole: int) -> None:
    name = type(layer).__name__
    for what, value in whole.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise InvalidInputError(f"{name} needs a {what} of at least 1, got {value!r}.")
    if layer.after not in (None, "relu") and not isinstance(layer.after, Gate):
        raise InvalidInputError(f'after must be None, "relu" or a Gate, got {layer.after!r}.')
    if layer.bias not in (True, False, "drawn"):
        raise InvalidInputError(f'bias must be True, False or "drawn", got {layer.bias!r}.')
    if layer.variance is not None and not 0 < layer.variance < math.inf:
        raise InvalidInputError(f"variance must be positive and finite, got {layer.variance}.")
