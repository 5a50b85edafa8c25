"""The neural tangent kernel of a finite network, at its parameters as they are.

    K(x, y) = Σ_a ⟨∇f_a(θ, x), ∇f_a(θ, y)⟩ = tr J(x) J(y)ᵀ          a = 1…k outputs
    K_ab(x, y) = ⟨∇f_a(θ, x), ∇f_b(θ, y)⟩

It is a sum over parameters, and so over layers. Two ways to a tile of it: contract two Jacobians
(k² P or k P per pair of points, P parameters), or push each gradient of y forward through the
network at x (k forward passes per pair, and J(x) is never held: cheaper where a pass costs less
than k P, as with many outputs). Products K c need no matrix: one backward and one forward pass.
"""

from collections.abc import Callable
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.kernels._base import Kernel, is_single
from featlearn.kernels._checks import check_finite
from featlearn.kernels._empirical_plan import (
    Limits,
    Mode,
    Plan,
    ProductPlan,
    output_count,
    plan_gram,
    plan_product,
)
from featlearn.kernels._empirical_tangents import (
    Fixed,
    Group,
    Network,
    contract_outputs,
    contract_traces,
    jacobian,
    pull_by_rows,
    push_by_rows,
    sum_of,
    tile_by_products,
)
from featlearn.kernels._pair_tiles import Contract, Prepare, fill_by_tiles, fill_symmetric
from featlearn.precision import double_inside

DTYPES = ("float64", "float32")
MODES = ("jacobian", "products")


def empirical_ntk(
    fn: Callable[[Any, Array], Array],
    params: Any,
    *,
    mode: Mode = "jacobian",
    dtype: Literal["float64", "float32"] = "float64",
    rows: int | None = None,
    parameters: int | None = None,
    memory: int | None = None,
) -> "EmpiricalNTK":
    """The NTK of `fn(params, x)` at `params`.

        kernel = empirical_ntk(fn, params)
        kernel(x, y)                           (n, m), the sum over outputs
        kernel.full(x, y)                      (n, m, k, k)
        kernel.layers(x, y)                    {name: (n, m)}, which sum to kernel(x, y)
        kernel.product(x, y, coefficients)     kernel(x, y) @ coefficients, without the matrix
        kernel.plan(x, y).bytes                what kernel(x, y) will take

    fn           (params, x) -> (n,) or (n, k) for n points x of any shape (n, …), row by row:
                 what it does to one point may not depend on the others. One function object is
                 compiled once: pass a named function rather than a new lambda each time
    params       any pytree; its floating arrays are differentiated, the rest is kept as it is
    mode         "jacobian" or "products": see the top of this file
    dtype        what is computed in; parameters and points are cast to it
    rows         points of either side held at once        } by default
    parameters   parameters held at once, in whole leaves  } what fits
    memory       bytes that one tile may take; by default half of a GPU, or a CPU's fair block
    """
    for name, value in (("rows", rows), ("parameters", parameters), ("memory", memory)):
        if value is not None and (not isinstance(value, int | np.integer) or value < 1):
            raise InvalidInputError(f"{name} must be a positive integer or None, got {value!r}.")
    if mode not in MODES or dtype not in DTYPES:
        raise InvalidInputError(
            f"mode must be one of {MODES} and dtype one of {DTYPES}, got {mode!r} and {dtype!r}."
        )
    differentiable, rest = split_parameters(fn, params)
    network = Network(differentiable, Fixed(rest), fn, dtype)
    return EmpiricalNTK(network, mode=mode, limits=Limits(rows, parameters, memory))


def split_parameters(fn: Any, params: Any) -> tuple[Any, Any]:
    """The floating arrays of `params` and the rest, refused unless they can be differentiated."""
    if not callable(fn):
        raise InvalidInputError(f"fn must be a function of (params, x), got {fn!r}.")
    differentiable, rest = eqx.partition(params, _inexact)
    leaves = jax.tree.leaves(differentiable)
    if not leaves:
        raise InvalidInputError(
            "params holds no array of floating numbers, so fn has no derivative by it. "
            f"Give fn's parameters, got a {type(params).__name__}."
        )
    for leaf in leaves:
        if jnp.issubdtype(jnp.result_type(leaf), jnp.complexfloating):
            raise InvalidInputError("params must be real: split complex ones into two arrays.")
        if not isinstance(leaf, jax.core.Tracer) and not np.all(np.isfinite(np.asarray(leaf))):
            raise InvalidInputError("params has values that are NaN or infinite.")
    return jax.tree.map(jnp.asarray, differentiable), rest


def _inexact(leaf: Any) -> bool:
    if isinstance(leaf, jax.Array | np.ndarray | np.generic):
        return bool(jnp.issubdtype(leaf.dtype, jnp.inexact))
    return isinstance(leaf, float | complex)


class EmpiricalNTK(Kernel):
    """K(x, y) = Σ_a ⟨∇f_a(x), ∇f_a(y)⟩: the sum over outputs, not their mean.

    Not divided by the number of parameters or outputs: it is what gradient descent on θ follows.
    Points are of any shape (n, …) that the network takes; a learner's points are rows (n, d).
    Built by `empirical_ntk`.
    """

    network: Network
    mode: Mode = eqx.field(static=True, kw_only=True)
    limits: Limits = eqx.field(static=True, kw_only=True)

    @double_inside
    def __call__(
        self,
        x: Float[Array, "n *d"],
        y: Float[Array, "m *d"] | None = None,
        *,
        dtype: Any = None,
    ) -> Float[Array, "n m"]:
        """The Gram matrix, summed over outputs.

        dtype   of the result, "float64" or "float32"; None: what the network computes in. Tiles
                are rounded one by one, so that float32 takes half the memory
        """
        kind = None if dtype is None else ("float32" if is_single(dtype) else "float64")
        return self._gram(x, y, full=False, dtype=kind)

    @double_inside
    def full(
        self, x: Float[Array, "n *d"], y: Float[Array, "m *d"] | None = None
    ) -> Float[Array, "n m k k"]:
        """⟨∇f_a(x_i), ∇f_b(y_j)⟩ at [i, j, a, b]."""
        return self._gram(x, y, full=True)

    @double_inside
    def layers(
        self,
        x: Float[Array, "n *d"],
        y: Float[Array, "m *d"] | None = None,
        *,
        depth: int | None = 1,
    ) -> dict[str, Float[Array, "n m"]]:
        """The parts of the Gram matrix by the parameters of each layer; they sum to the whole.

        A layer is what shares the first `depth` names of the path to it in the pytree: "0" and
        "1" of a list of layers, say; with depth None each leaf is one.
        """
        return {
            name: self._gram(x, y, full=False, within=group)
            for name, group in self.layer_leaves(depth).items()
        }

    def layer_leaves(self, depth: int | None = 1) -> dict[str, Group]:
        """Which leaves make up each layer."""
        if depth is not None and depth < 1:
            raise InvalidInputError(f"depth must be at least 1, or None for leaves, got {depth}.")
        named: dict[str, Group] = {}
        paths, _ = jax.tree_util.tree_flatten_with_path(self.network.params)
        for index, (path, _) in enumerate(paths):
            name = jax.tree_util.keystr(path[:depth], simple=True, separator="/") or "params"
            named[name] = (*named.get(name, ()), index)
        return named

    @double_inside
    def product(
        self, x: Float[Array, "n *d"], y: Float[Array, "m *d"], coefficients: Float[Array, "m q"]
    ) -> Float[Array, "n q"]:
        """Σ_j K(x_i, y_j) c_j by one backward and one forward pass a column and output."""
        x, y = self._pair(x, y)
        columns = self._columns(coefficients, y, 2)
        k = output_count(self.network, y)
        # Column c and output a: the weights c_j on output a of point j, and what a then gains.
        weights = jnp.einsum("jq,ab->qajb", columns, jnp.eye(k, dtype=columns.dtype))
        pushed = self._along(x, y, weights.reshape(-1, *weights.shape[2:]))
        return jnp.einsum("qaia->iq", pushed.reshape(-1, k, *pushed.shape[1:]))

    @double_inside
    def full_product(
        self, x: Float[Array, "n *d"], y: Float[Array, "m *d"], coefficients: Float[Array, "m k"]
    ) -> Float[Array, "n k"]:
        """Σ_jb K_ab(x_i, y_j) c_jb by one backward and one forward pass: J(x) J(y)ᵀ c."""
        x, y = self._pair(x, y)
        columns = self._columns(coefficients, y, output_count(self.network, y), exact=True)
        return self._along(x, y, columns[None])[0]

    @double_inside
    def diagonal(self, x: Float[Array, "n *d"]) -> Float[Array, "n"]:
        """K(x_i, x_i) for each row."""
        return self.at(x)

    def between(self, x: Float[Array, "n *d"], y: Float[Array, "m *d"]) -> Float[Array, "n m"]:
        return self._gram(x, y, full=False)

    def at(self, x: Float[Array, "n *d"]) -> Float[Array, "n"]:
        x, _ = self._pair(x, None)
        plan = self._plan(x, x, False)
        return sum_of(_squares(self, group, plan.rows, x) for group in plan.groups)

    @double_inside
    def plan(
        self,
        x: Float[Array, "n *d"],
        y: Float[Array, "m *d"] | None = None,
        *,
        full: bool = False,
    ) -> Plan:
        """How the Gram matrix will be computed and what it takes; nothing is computed."""
        return self._plan(*self._pair(x, y), full)

    def _plan(self, x: Array, y: Array, full: bool, within: Group | None = None) -> Plan:
        groups = (self.network.everything() if within is None else within,)
        return plan_gram(self.network, self.mode, full, x, y, groups, self.limits)

    def _gram(
        self,
        x: Any,
        y: Any,
        full: bool,
        within: Group | None = None,
        dtype: str | None = None,
    ) -> Array:
        symmetric = y is None
        x, y = self._pair(x, y)
        plan = self._plan(x, y, full, within)
        # One program for each group: in a common one their temporaries could live together.
        return sum_of(
            _group_gram(self, group, plan.rows, full, dtype, x, None if symmetric else y)
            for group in plan.groups
        )

    def _along(self, x: Array, y: Array, weights: Float[Array, "s m k"]) -> Float[Array, "s n k"]:
        plan = plan_product(self.network, x, y, weights.shape[0], self.limits)
        return _products(self, plan, x, y, weights)

    def _pair(self, x: Any, y: Any) -> tuple[Array, Array]:
        x = self.points(x)
        y = x if y is None else self.points(y)
        if x.shape[1:] != y.shape[1:]:
            raise InvalidInputError(
                f"A kernel compares points of one shape, got {x.shape[1:]} and {y.shape[1:]}."
            )
        return x, y

    @double_inside
    def gradient_sum(self, y: Float[Array, "m *d"], weights: Float[Array, "m k"]) -> list[Array]:
        """Σ_jb w_jb ∇f_b(y_j), leaf by leaf: J(y)ᵀw."""
        y, _ = self._pair(y, None)
        weights = self._columns(weights, y, output_count(self.network, y), exact=True)
        plan = plan_product(self.network, y, y, 1, self.limits)
        return _gradient_sum(self, plan.rows, y, weights)

    def points(self, x: Any) -> Array:
        """x in the network's type (whole numbers stay), refused unless the network takes it."""
        if not getattr(x, "ndim", 0) or not x.shape[0]:
            raise InvalidInputError(
                "An empirical kernel takes an array of at least one point, of shape (n, …), "
                f"got {getattr(x, 'shape', type(x).__name__)}."
            )
        check_finite(x)
        x = jnp.asarray(x)
        x = x.astype(self.network.dtype) if jnp.issubdtype(x.dtype, jnp.floating) else x
        self._check_output(x)
        return x

    def _check_output(self, x: Array) -> None:
        one = jax.ShapeDtypeStruct((1, *x.shape[1:]), x.dtype)
        try:
            out = jax.eval_shape(self.network.as_written, one)
        except (TypeError, ValueError) as error:
            raise InvalidInputError(
                f"fn fails on points of shape {x.shape[1:]}, as fn(params, x) with x of shape "
                f"{one.shape}: {error} Give points of the shape that the network takes."
            ) from error
        shape = getattr(out, "shape", None)
        if shape is None or len(shape) not in (1, 2) or shape[0] != 1:
            raise InvalidInputError(
                f"fn must return shape (n,) or (n, k) for n points, and for 1 point it returned "
                f"{type(out).__name__ if shape is None else shape}."
            )

    def _columns(
        self, coefficients: Any, y: Array, second: int, *, exact: bool = False
    ) -> Float[Array, "m q"]:
        got = getattr(coefficients, "shape", type(coefficients).__name__)
        wanted = (y.shape[0], second) if exact else (y.shape[0], "q")
        fits = isinstance(got, tuple) and len(got) == 2 and got[0] == wanted[0]
        if not fits or (exact and got != wanted):
            raise InvalidInputError(
                f"coefficients must have shape ({wanted[0]}, {wanted[1]}), a row for each of y, "
                f"got {got}."
            )
        return jnp.asarray(coefficients, self.network.dtype)


@eqx.filter_jit
def _group_gram(
    kernel: EmpiricalNTK,
    group: Group,
    rows: int,
    full: bool,
    dtype: str | None,
    x: Array,
    y: Array | None,
) -> Array:
    network = kernel.network

    def by_jacobian(x: Array) -> Any:
        return jacobian(network, group, x)

    def contract(j_x: Any, y: Array) -> Array:
        return (contract_outputs if full else contract_traces)(j_x, by_jacobian(y))

    def products(x: Array, y: Array) -> Array:
        return tile_by_products(network, group, full, x, y)

    by_products = kernel.mode == "products"
    prepare: Prepare = (lambda x: x) if by_products else by_jacobian
    whole: Contract = products if by_products else contract

    def tile(prepared: Any, y: Array) -> Array:
        return whole(prepared, y).astype(dtype or network.dtype)

    if y is None:
        return fill_symmetric(prepare, tile, x, rows)
    return fill_by_tiles(prepare, tile, x, y, rows)


@eqx.filter_jit
def _squares(kernel: EmpiricalNTK, group: Group, rows: int, x: Array) -> Float[Array, "n"]:
    def one(row: Array) -> Array:
        return sum_of(jnp.sum(leaf**2) for leaf in jacobian(kernel.network, group, row[None]))

    return jax.lax.map(one, x, batch_size=min(rows, x.shape[0]))


@eqx.filter_jit
def _gradient_sum(
    kernel: EmpiricalNTK, rows: int, y: Array, weights: Float[Array, "m k"]
) -> list[Array]:
    return pull_by_rows(kernel.network, kernel.network.everything(), y, weights, rows)


@eqx.filter_jit
def _products(
    kernel: EmpiricalNTK, plan: ProductPlan, x: Array, y: Array, weights: Float[Array, "s m k"]
) -> Float[Array, "s n k"]:
    network, everything = kernel.network, kernel.network.everything()

    def one(weights: Array) -> Array:
        direction = pull_by_rows(network, everything, y, weights, plan.rows)
        return push_by_rows(network, everything, x, direction, plan.rows)

    return jax.lax.map(one, weights, batch_size=min(plan.columns, weights.shape[0]))
