"""Which share of a network's activations have changed sign: 1[⟨w_t, x⟩ ≥ 0] ≠ 1[⟨w_0, x⟩ ≥ 0].

Where no sign changes, a ReLU network is linear in each layer's weights, and its tangent model is
exact in them. For a neuron that sees z_0 ~ N(0, σ²) and moves it by δ, the share is
arctan(δ/σ)/π for a Gaussian δ, and |δ|/σ√(2π) for a small fixed one.
"""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.measures.estimates import Estimate, estimate


def changed_signs(before: Float[Array, "n *units"], after: Float[Array, "n *units"]) -> Estimate:
    """The share of one layer's preactivations whose sign has changed, over n points.

    Points are taken as independent, units of one point are not.

    What it cannot tell: how much that matters. A neuron that changes sign has an activation near
    0 before and after.

        changed_signs(start.preactivations(x)[0], trained.preactivations(x)[0]).value
    """
    shapes = [getattr(z, "shape", None) for z in (before, after)]
    if shapes[0] != shapes[1] or shapes[0] is None or len(shapes[0]) < 2 or shapes[0][0] < 2:
        raise InvalidInputError(
            "Preactivations at two moments must have one shape (n, units) with n ≥ 2, got "
            f"{shapes[0]} and {shapes[1]}."
        )
    changed = ((before >= 0) != (after >= 0)).reshape(before.shape[0], -1)
    return estimate(changed.astype(jnp.result_type(float)).mean(axis=1))


def changed_signs_of_layers(before: Sequence[Any], after: Sequence[Any]) -> list[Estimate]:
    """`changed_signs` of each layer, in their order."""
    if not before or len(before) != len(after):
        raise InvalidInputError(
            "Both moments need the preactivations of the same layers, one at least, got "
            f"{len(before)} and {len(after)}."
        )
    return [changed_signs(b, a) for b, a in zip(before, after, strict=True)]
