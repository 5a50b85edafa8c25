"""Estimates of memory bound what the compiler takes, and set the block."""

import jax
import jax.numpy as jnp
import pytest

from featlearn.errors import InvalidInputError
from featlearn.fleet import _memory, member_bytes
from featlearn.fleet._memory import block_size


def products(x):
    return jnp.exp(x @ x.T) @ x


def many_steps(x):
    return jax.lax.fori_loop(0, 5, lambda _, w: w - 0.1 * jnp.tanh(w @ w.T) @ w, x)


def gradient(x):
    return jax.grad(lambda w: jnp.sum(jax.nn.relu(x @ w @ w.T) ** 2))(x[: x.shape[1]])


@pytest.mark.parametrize("function", [products, many_steps, gradient])
def test_bounds_the_compilers_own_count(function):
    x = jnp.ones((200, 50))
    taken = jax.jit(function).lower(x).compile().memory_analysis()
    actual = taken.temp_size_in_bytes + taken.argument_size_in_bytes + taken.output_size_in_bytes
    estimate = member_bytes(function, x)
    assert actual <= estimate <= 4 * actual


def test_block_is_what_the_budget_holds():
    assert block_size(100, 50, 1000) == 10
    assert block_size(100, 5, 1000) == 5
    assert block_size(100, 5, 10) == 1
    assert block_size(0, 5, 10) == 5


def test_refuses_a_member_larger_than_the_machine(monkeypatch):
    monkeypatch.setattr(_memory, "machine_bytes", lambda: 10**9)
    with pytest.raises(InvalidInputError, match=r"needs about 2\.0 GB and 1\.0 GB are free"):
        block_size(2 * 10**9, 4, None)
    assert block_size(2 * 10**9, 4, 10**6) == 1
