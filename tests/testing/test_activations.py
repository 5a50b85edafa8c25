"""The kit for activations rejects averages that are not those of φ."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import pytest

from featlearn.kernels import Activation
from featlearn.testing import check_activation


class Broken(Activation):
    """z² with one promise broken."""

    fault: str = eqx.field(static=True)

    def __call__(self, z: Any) -> Any:
        return z**2 + (0.01 * z if self.fault == "function" else 0.0)

    def averages(self, a: Any, b: Any, c: Any) -> Any:
        both, slope = a * b + 2 * c**2, 4 * c
        if self.fault == "slope":
            return both, slope * 1.01
        if self.fault == "gradient":
            return both + 0 * jnp.sqrt(jnp.maximum(a * b - c**2, 0.0)), slope
        return both, slope

    def at(self, a: Any) -> Any:
        return (2.99 if self.fault == "at" else 3) * a**2, 4 * a


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("function", "E φφ at"),
        ("slope", "E φ'φ' at"),
        ("at", "at, against u = v"),
        ("gradient", "gradient: not finite"),
    ],
)
def test_a_broken_promise_is_rejected(fault: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_activation(Broken(fault))


def test_a_true_activation_passes() -> None:
    check_activation(Broken("none"))
