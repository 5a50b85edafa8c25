"""Activations of infinitely wide networks, by name or as objects: `NTK(2, activation="erf")`."""

from typing import Any

from featlearn.errors import InvalidInputError
from featlearn.kernels.activations._base import Activation
from featlearn.kernels.activations.closed_forms import (
    Cosine,
    Erf,
    GaussianBump,
    Quadratic,
    Relu,
    Sine,
)
from featlearn.kernels.activations.expanded import Expanded
from featlearn.kernels.activations.hermite import Hermite

__all__ = [
    "NAMED",
    "Activation",
    "Cosine",
    "Erf",
    "Expanded",
    "GaussianBump",
    "Hermite",
    "Quadratic",
    "Relu",
    "Sine",
    "as_activation",
]

NAMED: dict[str, Activation] = {
    "relu": Relu(),
    "erf": Erf(),
    "quadratic": Quadratic(),
    "gaussian": GaussianBump(),
    "sine": Sine(),
    "cosine": Cosine(),
}


def as_activation(value: Any) -> Activation:
    """An activation by its name, or as it is."""
    if isinstance(value, str) and value in NAMED:
        return NAMED[value]
    if isinstance(value, Activation):
        return value
    raise InvalidInputError(
        f"activation must be one of {', '.join(NAMED)} or an Activation, got {value!r}. "
        "Any other function can be given as activations.Expanded(function)."
    )
