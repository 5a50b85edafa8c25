"""A small regression: y = ⟨w, x⟩ + noise, and a network of one hidden layer for it."""

import jax
import jax.numpy as jnp
import pytest

from featlearn.samples import Sample
from featlearn.training import Fresh, square

TRUTH = jnp.asarray([1.0, -2.0, 0.5], jnp.float32)


def draw(key, step, noise=0.1):
    x_key, noise_key = jax.random.split(jax.random.fold_in(key, step))
    x = jax.random.normal(x_key, (20, 3), jnp.float32)
    return Sample(x, x @ TRUTH + noise * jax.random.normal(noise_key, (20,), jnp.float32))


def network(params, x):
    return jnp.tanh(x @ params["w"]) @ params["a"] + params["b"]


def loss(params, batch):
    return square(network(params, batch.x), batch)


def start(seed=0, width=8):
    w_key, a_key = jax.random.split(jax.random.key(seed))
    return {
        "w": jax.random.normal(w_key, (3, width), jnp.float32) / 2,
        "a": jax.random.normal(a_key, (width,), jnp.float32) / 2,
        "b": jnp.zeros((), jnp.float32),
    }


@pytest.fixture(autouse=True, scope="module")
def _quick_compilation():
    """These programs run for milliseconds and compile for seconds."""
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


@pytest.fixture(scope="session")
def regression():
    """(loss, source, start(seed))."""
    return loss, Fresh(draw), start
