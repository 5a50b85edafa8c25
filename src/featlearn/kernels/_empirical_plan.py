"""How an empirical kernel is computed within a budget of memory, decided before it starts.

A tile of b × b pairs holds the Jacobians of b rows of x and of b rows of y by one group of
leaves. The largest b that fits is taken; if not even one pair does, the leaves are split into
groups, whose Gram matrices add up.
"""

from functools import lru_cache
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array

from featlearn.errors import InvalidInputError
from featlearn.kernels._empirical_tangents import (
    Group,
    Network,
    contract_outputs,
    contract_traces,
    jacobian,
    pull,
    push,
    tile_by_products,
)
from featlearn.memory import check_memory, device_budget, largest_block, member_bytes

Mode = Literal["jacobian", "products"]
REMEDY = "Take fewer points, dtype='float32', or kernel.product, which never holds the Gram matrix."


class Limits(NamedTuple):
    """What the user allows: rows at once, parameters at once, and bytes; None: what fits."""

    rows: int | None
    parameters: int | None
    memory: int | None

    def budget(self) -> int:
        """Bytes that one tile may take."""
        return device_budget() if self.memory is None else self.memory


class Plan(NamedTuple):
    """How a Gram matrix will be computed.

    rows     rows of x, and of y, whose derivatives are held at once
    groups   the leaves of the parameters taken together; one group unless memory forbids it
    bytes    an upper bound on the memory it takes at its peak, its arguments and result included
    """

    rows: int
    groups: tuple[Group, ...]
    bytes: int


def plan_gram(
    network: Network,
    mode: Mode,
    full: bool,
    x: Array,
    y: Array,
    within: tuple[Group, ...],
    limits: Limits,
) -> Plan:
    """The plan for the Gram matrix by each of the groups `within`, refused if it cannot fit."""
    n, m = x.shape[0], y.shape[0]
    most = max(n, m) if limits.rows is None else min(limits.rows, max(n, m))

    def tile(groups: tuple[Group, ...], rows: int) -> int:
        return max(tile_bytes(network, mode, full, group, x, y, rows) for group in groups)

    groups = tuple(part for group in within for part in _split(network, group, limits.parameters))
    if limits.parameters is None and tile(groups, 1) > limits.budget():
        groups = tuple((leaf,) for group in within for leaf in group)
    rows = largest_block(lambda b: tile(groups, b), most, limits.budget())
    held = tile(groups, rows)
    if limits.memory is not None and held > limits.memory:
        raise InvalidInputError(
            f"One pair of points takes about {held / 1e9:.3g} GB with one leaf of the parameters "
            f"at a time, and memory allows {limits.memory / 1e9:.3g} GB. Raise memory."
        )
    # Each group's Gram matrix, its mirror image and the sum of those before it.
    width = output_count(network, x) ** 2 if full else 1
    result = 3 * n * m * width * jnp.dtype(network.dtype).itemsize
    total = held + result
    check_memory(total, f"The empirical NTK of {n} × {m} points", REMEDY)
    return Plan(rows, groups, total)


def _split(network: Network, group: Group, parameters: int | None) -> list[Group]:
    """Runs of leaves with at most `parameters` numbers; a leaf above that is a run of its own."""
    if parameters is None:
        return [group]
    sizes, runs, held = network.sizes(), [[group[0]]], network.sizes()[group[0]]
    for leaf in group[1:]:
        if held + sizes[leaf] <= parameters:
            runs[-1].append(leaf)
            held += sizes[leaf]
        else:
            runs.append([leaf])
            held = sizes[leaf]
    return [tuple(run) for run in runs]


def tile_bytes(
    network: Network, mode: Mode, full: bool, group: Group, x: Array, y: Array, rows: int
) -> int:
    """An upper bound on the live bytes of one tile."""

    def tile(network: Network, x: Array, y: Array) -> Array:
        if mode == "products":
            return tile_by_products(network, group, full, x, y)
        contract = contract_outputs if full else contract_traces
        return contract(jacobian(network, group, x), jacobian(network, group, y))

    blocks = (_first_rows(x, rows), _first_rows(y, rows))
    key = ("tile", mode, full, group)
    return _traced(_Call(key, tile), *_hashable((_shapes(network), *blocks)))


class ProductPlan(NamedTuple):
    """How many columns of the coefficients, and rows of either side, are taken at once."""

    columns: int
    rows: int


def plan_product(network: Network, x: Array, y: Array, columns: int, limits: Limits) -> ProductPlan:
    """The plan for J(x) J(y)ᵀ w with `columns` vectors w, refused if it cannot fit."""
    most = max(x.shape[0], y.shape[0]) if limits.rows is None else limits.rows

    def needed(c: int, b: int) -> int:
        return product_bytes(network, x, y, c, b)

    at_once = largest_block(lambda c: needed(c, 1), columns, limits.budget())
    rows = largest_block(lambda b: needed(at_once, b), most, limits.budget())
    results = columns * (x.shape[0] + y.shape[0]) * jnp.dtype(network.dtype).itemsize
    what = f"The product of an empirical NTK with {columns} columns"
    check_memory(needed(at_once, rows) + results, what, "Take fewer columns, or dtype='float32'.")
    return ProductPlan(at_once, rows)


def product_bytes(network: Network, x: Array, y: Array, columns: int, rows: int) -> int:
    """An upper bound on the live bytes of one block of rows and columns."""

    def block(network: Network, x: Array, y: Array) -> Any:
        def one(weights: Array) -> Array:
            everything = network.everything()
            return push(network, everything, x, pull(network, everything, y, weights))

        k = output_count(network, y)
        return jax.vmap(one)(jnp.zeros((columns, y.shape[0], k), network.dtype))

    blocks = (_first_rows(x, rows), _first_rows(y, rows))
    return _traced(_Call(("product", columns), block), *_hashable((_shapes(network), *blocks)))


def output_count(network: Network, x: Array) -> int:
    """k of f(θ, x) (n, k)."""
    return int(jax.eval_shape(network, _first_rows(x, 1)).shape[1])


class _Call(NamedTuple):
    """A function that is told apart by what it does and not by which object it is."""

    key: tuple[Any, ...]
    function: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Call) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def _hashable(tree: Any) -> tuple[tuple[Any, ...], Any]:
    leaves, form = jax.tree.flatten(tree)
    return tuple(leaves), form


@lru_cache(maxsize=512)
def _traced(call: _Call, leaves: tuple[Any, ...], form: Any) -> int:
    """Traced once for each function and shapes, as the program itself is."""
    return member_bytes(call.function, *jax.tree.unflatten(form, leaves))


def _shapes(tree: Any) -> Any:
    return jax.tree.map(lambda a: jax.ShapeDtypeStruct(jnp.shape(a), jnp.result_type(a)), tree)


def _first_rows(x: Any, rows: int) -> Any:
    return jax.ShapeDtypeStruct((min(rows, x.shape[0]), *x.shape[1:]), x.dtype)
