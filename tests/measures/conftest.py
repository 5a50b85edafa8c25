"""A first layer with given weights, in the place of a fit."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

import featlearn as fl

MOST = 12  # neurons: silent ones fill up, so that one program serves every width


class FirstLayer(eqx.Module):
    """S_1 = Wx, summed with signs."""

    weight: jax.Array
    signs: jax.Array

    def __init__(self, weight: Any, signs: Any = None) -> None:
        weight = jnp.asarray(weight, jnp.float64)
        rest = MOST - weight.shape[0]
        signs = jnp.ones(weight.shape[0]) if signs is None else jnp.asarray(signs)
        self.weight = jnp.pad(weight, [(0, rest), (0, 0)])
        self.signs = jnp.pad(signs, (0, rest), constant_values=1.0)

    def features(self, x: jax.Array, level: int = 1) -> jax.Array:
        return x @ self.weight.T

    def head_signs(self, level: int) -> jax.Array:
        return self.signs


def task(mean: float) -> Any:
    """Toy (b) in four dimensions: S*_1 = (x_1, x_2), α_1 = 1, α_2 = 0.3."""
    inputs = fl.inputs.Gaussian(4, mean=jnp.full(4, mean))
    return fl.Task(inputs, fl.targets.toy("correction", 4, 0.3))


@pytest.fixture(scope="session")
def first_layer() -> type[FirstLayer]:
    return FirstLayer


@pytest.fixture(scope="session")
def correction_task() -> Any:
    return task(1.0)


@pytest.fixture(scope="session")
def centred_task() -> Any:
    return task(0.0)
