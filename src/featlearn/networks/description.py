"""A network before it has weights: the shape of a point, and layers in a row."""

from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.networks.layers import Layer, Shape, apply_all, draw_all


@dataclass(frozen=True, init=False)
class Description:
    """Layers for points of shape `given`; frozen, hashable, without weights.

        Description((32, 32, 3), Conv(64, after="relu"), MeanPool(), Dense(10))

    Shapes are checked when it is made.
    """

    given: Shape
    layers: tuple[Layer, ...]

    def __init__(self, given: Shape | int, *layers: Layer) -> None:
        shape = (given,) if isinstance(given, int) else tuple(given)
        if not shape or any(not isinstance(side, int) or side < 1 for side in shape):
            raise InvalidInputError(
                f"A point's shape is (d,) or (height, width, channels), got {given!r}."
            )
        if not layers:
            raise InvalidInputError("A network needs a layer at least: give Dense(outputs).")
        object.__setattr__(self, "given", shape)
        object.__setattr__(self, "layers", tuple(layers))
        self.shapes  # noqa: B018  (refuses layers that do not fit)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shape of a point, before the first layer and after each."""
        found = [self.given]
        for layer in self.layers:
            found.append(layer.shape(found[-1]))
        return tuple(found)

    def draw(self, key: Key[Array, ""]) -> "Network":
        """Random weights, in float32."""
        return Network(*draw_all(self.layers, key, self.given), self)

    def apply(self, trained: Any, frozen: Any, x: Float[Array, "n *in"]) -> Float[Array, "n *out"]:
        """The outputs at n points, as a pure function of the weights."""
        self.check(x)
        return apply_all(self.layers, trained, frozen, x).out

    def preactivations(self, trained: Any, frozen: Any, x: Float[Array, "n *in"]) -> list[Array]:
        """What each layer of ReLUs or gates sees, in the order of the layers."""
        self.check(x)
        return list(apply_all(self.layers, trained, frozen, x).seen)

    def check(self, x: Any) -> None:
        """Refuse points of another shape."""
        shape = getattr(x, "shape", None)
        if shape is None or shape[1:] != self.given:
            raise InvalidInputError(
                f"x must have shape (n, {', '.join(map(str, self.given))}), got {shape}."
            )


class Network(eqx.Module):
    """A description with weights: `trained` ones, and `frozen` ones that gates keep."""

    trained: Any
    frozen: Any
    description: Description = eqx.field(static=True)

    def __call__(self, x: Float[Array, "n *in"]) -> Float[Array, "n *out"]:
        return self.description.apply(self.trained, self.frozen, x)

    def preactivations(self, x: Float[Array, "n *in"]) -> list[Array]:
        """What each layer of ReLUs or gates sees."""
        return self.description.preactivations(self.trained, self.frozen, x)

    def at(self, trained: Any) -> "Network":
        """The same network with other trained weights."""
        form: Any = jax.tree.structure(self.trained)
        if jax.tree.structure(trained) != form:
            raise InvalidInputError(
                f"Weights must have the form {form}, got {jax.tree.structure(trained)}."
            )
        return Network(trained, self.frozen, self.description)
