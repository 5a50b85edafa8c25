"""Gated networks: every layer a tangent model of its own.

    ReLU(⟨w, x⟩) = 1[⟨w, x⟩ ≥ 0] ⟨w, x⟩   →   1̃[⟨w₁, x⟩ ≥ 0] ⟨w₂, x⟩,   w₁ frozen, w₂ trained

1[⟨w₁, x⟩ ≥ 0] x is a feature map that no training changes: a gated layer learns nothing but
linear weights on it, and what a network of such layers learns beyond a kernel it learns by
feeding better inputs from layer to layer. w₁ and w₂ start as one vector, so that a gated network
starts as the ReLU network does, up to how smooth 1̃ is:

    1̃[z ≥ 0] = 1/(1 + e^(−s z/σ)),    σ² the mean of z² over the units, at each point (and place)

σ makes the gate blind to the scale of its input, as 1[z ≥ 0] is, and s is its sharpness.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError

if TYPE_CHECKING:
    from featlearn.networks.description import Description


@dataclass(frozen=True)
class Gate:
    """1̃ with sharpness s; `Gate(float("inf"))` is the indicator itself, which passes no slope."""

    sharpness: float = 8.0

    def __post_init__(self) -> None:
        if not self.sharpness > 0:
            raise InvalidInputError(f"A gate needs a positive sharpness, got {self.sharpness}.")

    def open(self, z: Float[Array, "*points units"]) -> Float[Array, "*points units"]:
        """How far each gate is open, between 0 and 1."""
        if self.sharpness == float("inf"):
            return (z >= 0).astype(z.dtype)
        square = jnp.mean(z**2, axis=-1, keepdims=True)
        empty = square == 0  # an input of zeros: every gate is half open
        size = jnp.sqrt(jnp.where(empty, 1.0, square))
        return jax.nn.sigmoid(self.sharpness * z / size)


def gated(description: "Description", gate: Gate | None = None) -> "Description":
    """The twin of a network in which every ReLU is a gate that stays at its random start.

        network = gated(plain).draw(key)     starts as plain.draw(key) does

    Layers without a ReLU stay as they are; their linear maps are trained as before.
    """
    chosen = Gate() if gate is None else gate
    return type(description)(
        description.given, *(layer.with_gates(chosen) for layer in description.layers)
    )
