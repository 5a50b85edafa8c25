"""A first layer with given weights, in the place of a fit."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

import featlearn as fl


class FirstLayer(eqx.Module):
    """S_1 = Wx, summed with signs."""

    weight: jax.Array
    signs: jax.Array | None = None

    def features(self, x: jax.Array, level: int = 1) -> jax.Array:
        return x @ self.weight.T

    def head_signs(self, level: int) -> jax.Array:
        return jnp.ones(self.weight.shape[0]) if self.signs is None else self.signs


@pytest.fixture(scope="session")
def first_layer() -> type[FirstLayer]:
    return FirstLayer


@pytest.fixture(scope="session")
def correction_task() -> Any:
    """Toy (b) in four dimensions: S*_1 = (x_1, x_2), α_1 = 1, α_2 = 0.3."""
    return fl.Task(fl.inputs.Gaussian(4, mean=jnp.ones(4)), fl.targets.toy("correction", 4, 0.3))


@pytest.fixture(scope="session")
def centred_task() -> Any:
    return fl.Task(fl.inputs.Gaussian(4), fl.targets.toy("correction", 4, 0.3))
