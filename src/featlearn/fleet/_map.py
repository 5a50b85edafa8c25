"""One function over many members, as one compiled program.

Members are the slices of a pytree along its first axis. They run in blocks: within a block
`vmap`, from block to block `scan`, so that memory follows the block. With several devices each
takes an equal part of the members.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec

from featlearn.errors import InvalidInputError
from featlearn.fleet._compile import Effort, compiler_options
from featlearn.fleet._machine import Machine
from featlearn.fleet._memory import block_size, member_bytes
from featlearn.precision import double_precision

_MACHINE = Machine()


@double_precision
def map_members(
    function: Callable[..., Any],
    *members: Any,
    block: int | None = None,
    memory: int | None = None,
    effort: Effort = "full",
) -> Any:
    """`function` of each member, stacked: equals a Python loop to rounding.

    function   pure; compiled once for each (function, shapes), so pass a module-level function
               or a frozen module rather than a new lambda each time. It runs with 64-bit
               types on: name the type of random draws, whose default they change
    members    pytrees whose arrays share a first axis; what is not an array is shared by all
    block      how many members at once; by default what fits `memory`
    memory     bytes a block may take; by default half of a GPU, or what suits a CPU's caches
    effort     "little" halves the compile time on a CPU, for members that spend their time in
               matrix products and decompositions
    """
    members = jax.tree.map(lambda a: jnp.asarray(a) if isinstance(a, np.ndarray) else a, members)
    arrays, shared = eqx.partition(members, eqx.is_array)
    count = _count(arrays)
    if block is None:
        bytes_each = _bytes_each(function, arrays, shared)
        block = block_size(bytes_each, count, memory)
    devices = jax.local_device_count()
    block = max(1, min(block, -(-count // devices)))
    padded = _pad(arrays, -(-count // (block * devices)) * block * devices)
    given, fixed = eqx.partition(function, eqx.is_array)
    with _MACHINE.compiling():
        program = _compiled(*_form(given, padded, fixed, shared), block, devices, effort)
    with _MACHINE.running():
        found = jax.block_until_ready(program.run(given, padded))
    result = eqx.combine(found, program.rest)
    return jax.tree.map(lambda leaf: leaf[:count] if eqx.is_array(leaf) else leaf, result)


class _Program(NamedTuple):
    """A compiled program, and what of its result is not an array: the same for every member."""

    run: Callable[..., Any]
    rest: Any


def _form(given: Any, arrays: Any, fixed: Any, shared: Any) -> tuple[tuple[Any, ...], Any]:
    """Everything that a program depends on, hashable: shapes in the place of arrays."""
    shapes = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), (given, arrays))
    leaves, form = jax.tree.flatten((shapes, fixed, shared))
    return tuple(leaves), form


@lru_cache(maxsize=256)
def _compiled(
    leaves: tuple[Any, ...], form: Any, block: int, devices: int, effort: Effort
) -> _Program:
    """Compiled ahead of its call: one thread may compile while the program of another runs."""
    (given, arrays), fixed, shared = jax.tree.unflatten(form, leaves)
    rest = None

    def one(given: Any, member: Any) -> Any:
        nonlocal rest
        result = eqx.combine(given, fixed)(*eqx.combine(member, shared))
        found, rest = eqx.partition(result, eqx.is_array)
        return found

    def blocks(given: Any, arrays: Any) -> Any:
        shaped = jax.tree.map(lambda a: a.reshape(len(a) // block, block, *a.shape[1:]), arrays)
        if block == 1:  # without `vmap` the program is smaller, and compiles faster
            return jax.lax.map(partial(one, given), arrays)
        stacked = jax.lax.map(jax.vmap(partial(one, given)), shaped)
        return jax.tree.map(lambda a: a.reshape(a.shape[0] * block, *a.shape[2:]), stacked)

    run = _sharded(blocks) if devices > 1 else blocks
    compiled = jax.jit(run, compiler_options=compiler_options(effort)).lower(given, arrays)
    return _Program(compiled.compile(), rest)


def _sharded(blocks: Callable[..., Any]) -> Callable[..., Any]:
    """Every device takes its part of the members."""
    mesh = Mesh(np.array(jax.local_devices()), ("member",))
    along = PartitionSpec("member")
    return jax.shard_map(
        blocks, mesh=mesh, in_specs=(PartitionSpec(), along), out_specs=along, check_vma=False
    )


def _bytes_each(function: Callable[..., Any], arrays: Any, shared: Any) -> int:
    dynamic, static = eqx.partition(function, eqx.is_array)
    one = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape[1:], a.dtype), arrays)
    outside = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), dynamic)
    leaves, form = jax.tree.flatten((outside, one, static, shared))
    return _traced_bytes(tuple(leaves), form)


@lru_cache(maxsize=256)
def _traced_bytes(leaves: tuple[Any, ...], form: Any) -> int:
    """Traced once for each function and shapes, as the program itself is."""
    outside, one, static, shared = jax.tree.unflatten(form, leaves)

    def run(dynamic: Any, member: Any) -> Any:
        result = eqx.combine(dynamic, static)(*eqx.combine(member, shared))
        return eqx.filter(result, eqx.is_array)

    return member_bytes(run, outside, one)


def _count(arrays: Any) -> int:
    sizes = {leaf.shape[0] if leaf.ndim else None for leaf in jax.tree.leaves(arrays)}
    if len(sizes) != 1 or None in sizes:
        raise InvalidInputError(
            "Every array of a fleet's members needs the same first axis, one slice a member; "
            f"got first axes {sorted(map(str, sizes)) or 'of no array at all'}."
        )
    return int(jax.tree.leaves(arrays)[0].shape[0])


def _pad(arrays: Any, count: int) -> Any:
    """Repeat the last member until the blocks are full."""

    def fill(a: jax.Array) -> jax.Array:
        rest = count - a.shape[0]
        return a if rest == 0 else jnp.concatenate([a, jnp.repeat(a[-1:], rest, axis=0)])

    return jax.tree.map(fill, arrays)
