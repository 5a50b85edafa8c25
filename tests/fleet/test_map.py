"""Many members in one program equal a Python loop over them."""

import os
import subprocess
import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.fleet import map_members
from featlearn.fleet._map import _in_batches


def decorrelate(x, key):
    """Something that uses arrays, keys and a static part of the result."""
    noise = jax.random.normal(key, x.shape)
    return {"product": jnp.outer(x, noise), "sum": jnp.sum(x * noise), "name": "static"}


def looped(function, *members):
    results = [function(*(m[i] for m in members)) for i in range(len(members[0]))]
    arrays = [eqx.filter(r, eqx.is_array) for r in results]
    return jax.tree.map(lambda *a: jnp.stack(a), *arrays)


@pytest.mark.parametrize(("count", "block"), [(7, 3), (6, 3), (5, 100), (1, 4), (4, 1), (3, None)])
def test_equals_a_loop(count, block):
    x = jnp.asarray(np.random.default_rng(count).normal(size=(count, 4)))
    keys = jax.random.split(jax.random.key(count), count)
    result = map_members(decorrelate, x, keys, block=block)
    assert result["name"] == "static"
    expected = looped(decorrelate, x, keys)
    for name in ("product", "sum"):
        np.testing.assert_allclose(result[name], expected[name], rtol=1e-12)
    swapped = looped(decorrelate, x, keys[::-1])
    assert count == 1 or not np.allclose(result["sum"], swapped["sum"])


class Scaled(eqx.Module):
    """A pytree with a leaf of its own, and what is shared by all."""

    by: jax.Array
    power: int = eqx.field(static=True)
    call: object = jnp.sin

    def __call__(self, x):
        return self.call(self.by * x) ** self.power


def apply(scaled, x):
    return scaled(x)


def test_members_may_be_modules_with_static_parts():
    by, x = jnp.arange(1.0, 6.0), jnp.linspace(0, 1, 10).reshape(5, 2)
    result = map_members(apply, Scaled(by, 3), x, block=2)
    np.testing.assert_allclose(result, np.sin(by[:, None] * x) ** 3, rtol=1e-12)


def test_a_module_may_be_the_function_and_its_arrays_are_shared():
    result = map_members(Scaled(jnp.array(2.0), 2), jnp.arange(4.0), block=3)
    np.testing.assert_allclose(result, np.sin(2 * np.arange(4.0)) ** 2, rtol=1e-12)


def test_numpy_arrays_are_members_too():
    result = map_members(apply, Scaled(jnp.ones(3), 1), np.arange(3.0))
    np.testing.assert_allclose(result, np.sin(np.arange(3.0)), rtol=1e-12)


def test_a_result_may_be_a_module():
    result = map_members(lambda by: Scaled(2 * by, 5), jnp.arange(3.0))
    assert result.power == 5
    np.testing.assert_array_equal(result.by, [0, 2, 4])


def test_compiles_once_for_a_function_and_shapes():
    traces = []

    def function(x):
        traces.append(x.shape)
        return 2 * x

    map_members(function, jnp.ones((6, 2)))
    once = len(traces)
    map_members(function, jnp.zeros((6, 2)))
    assert len(traces) == once
    map_members(function, jnp.ones((6, 3)))
    assert len(traces) > once


def test_memory_changes_the_block_and_not_the_result():
    x = jnp.asarray(np.random.default_rng(0).normal(size=(7, 100)))
    for memory in (1, 300_000, 10**9):
        result = map_members(lambda x: jnp.sum(jnp.outer(x, x)), x, memory=memory)
        np.testing.assert_allclose(result, np.sum(np.asarray(x), axis=1) ** 2, rtol=1e-10)


@pytest.mark.parametrize(
    "members",
    [(jnp.ones(3), jnp.ones(4)), (jnp.ones((3, 2)), jnp.array(1.0)), (1.0, 2.0)],
)
def test_refuses_members_without_a_common_first_axis(members):
    with pytest.raises(InvalidInputError, match="same first axis"):
        map_members(lambda a, b: a, *members)


def test_a_32_bit_session_may_hold_64_bit_members():
    with jax.enable_x64(False):
        single = map_members(lambda x: x / 3, jnp.arange(3.0))
        assert single.dtype == jnp.float32
        double = map_members(lambda x: x.astype(jnp.float64) / 3, jnp.arange(3.0))
    np.testing.assert_allclose(double, np.arange(3.0) / 3, rtol=1e-15)


DEVICES = """
import jax, jax.numpy as jnp, numpy as np
from featlearn.fleet import map_members
from featlearn.fleet._map import _in_batches
assert jax.local_device_count() == 3
def f(x, key): return jnp.sin(x) + jax.random.normal(key, dtype=jnp.float32), {"kept": x.sum()}
for count, block in ((7, 2), (1, None), (6, 1), (4, 100)):
    x = jnp.arange(2.0 * count).reshape(count, 2)
    keys = jax.random.split(jax.random.key(0), count)
    ours, kept = map_members(f, x, keys, block=block)
    theirs = jnp.stack([f(a, k)[0] for a, k in zip(x, keys)])
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    np.testing.assert_allclose(kept["kept"], x.sum(1), rtol=1e-6)
"""


def test_several_devices_share_the_members():
    run = subprocess.run(
        [sys.executable, "-c", DEVICES],
        env={**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=3"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]


def test_the_compiler_takes_as_much_effort_as_asked_for_and_the_numbers_stay():
    x = jnp.asarray(np.random.default_rng(0).normal(size=(3, 4)))
    keys = jax.random.split(jax.random.key(0), 3)
    full, little, least = (
        map_members(decorrelate, x, keys, effort=effort) for effort in ("full", "little", "least")
    )
    np.testing.assert_allclose(little["product"], full["product"], rtol=1e-12)
    np.testing.assert_allclose(least["product"], full["product"], rtol=1e-12)


@pytest.mark.parametrize(
    ("shape", "batched"), [((4, 4), False), ((1, 4, 4), False), ((3, 4, 4), True)]
)
def test_a_program_that_decomposes_a_batch_is_known(shape, batched):
    program = jax.jit(jnp.linalg.cholesky).lower(jnp.zeros(shape)).as_text()
    assert _in_batches(program) == batched
