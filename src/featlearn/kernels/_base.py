"""What a kernel is: a frozen config, called on two sets of points, giving their Gram matrix."""

import abc
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.kernels._checks import check_gram, check_points
from featlearn.kernels._row_blocks import fill_by_rows, fill_symmetric
from featlearn.precision import double_inside


class Kernel(eqx.Module):
    """`kernel(x, y)` is the (n, m) Gram matrix; `kernel(x)` is K(x, x).

    Computed in float64 whatever the session's setting, unless float32 is asked for. Float fields
    are leaves of the pytree, so kernels of one form can be stacked and tuned as a fleet. Each
    kernel's docstring states its normalisation; K(x, x) is never assumed to be 1.

    A kernel defines `between` and `at`; points there are float64 arrays of one dimension d. One
    that can work in float32 and keep its digits also defines `single_rows` and `single_between`.
    """

    @abc.abstractmethod
    def between(self, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
        """K(x_i, y_j), for any rows x and y."""

    @abc.abstractmethod
    def at(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        """K(x_i, x_i) for each row, to rounding."""

    def single_rows(self, x: Float[Array, "n d"]) -> Any:
        """What `single_between` takes of points in float64: arrays with a row for each."""
        return x

    def single_between(self, rows: Any, columns: Any) -> Float[Array, "n m"]:
        """K(x_i, y_j) in float32, to its rounding relative to √(K(x_i, x_i) K(y_j, y_j))."""
        return self.between(rows, columns).astype(jnp.float32)

    @double_inside
    def __call__(
        self,
        x: Float[Array, "n d"],
        y: Float[Array, "m d"] | None = None,
        *,
        dtype: Any = "float64",
    ) -> Float[Array, "n m"]:
        """The Gram matrix between the rows of x and the rows of y.

        Without y half of it is computed and the rest is a copy; its diagonal is that of
        `diagonal`: formulas for pairs lose half the digits where the two points coincide.

        dtype   "float64", or "float32" for half the memory, and less time where the kernel's
                formulas allow it. Its errors are of the rounding of √(K(x_i, x_i) K(y_j, y_j)).
        """
        single = is_single(dtype)
        if y is None:
            x = as_points(x)
            check_gram(len(x), len(x), single)
            return _gram(with_array_leaves(self), x, single)
        pair = _like_pair(as_points(x), as_points(y))
        check_gram(len(pair[0]), len(pair[1]), single)
        return _cross_gram(with_array_leaves(self), *pair, single)

    @double_inside
    def diagonal(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        """K(x_i, x_i) for each row."""
        return self.at(as_points(x))

    @double_inside
    def product(
        self, x: Float[Array, "n d"], y: Float[Array, "m d"], coefficients: Float[Array, "m k"]
    ) -> Float[Array, "n k"]:
        """Σ_j K(x_i, y_j) c_j, in blocks of rows: the Gram matrix is never held."""
        x, y = _like_pair(as_points(x), as_points(y))
        return _product(with_array_leaves(self), x, y, _one_row_each(coefficients, y))


@eqx.filter_jit
def _gram(kernel: Kernel, x: Array, single: bool) -> Array:
    rows, between = (
        (kernel.single_rows(x), kernel.single_between) if single else (x, kernel.between)
    )
    gram = fill_symmetric(between, rows)
    each = jnp.arange(x.shape[0])
    return gram.at[each, each].set(kernel.at(x).astype(gram.dtype))


@eqx.filter_jit
def _cross_gram(kernel: Kernel, x: Array, y: Array, single: bool) -> Array:
    if not single:
        return fill_by_rows(lambda rows: kernel.between(rows, y), x, row_cost=y.shape[0])
    columns = kernel.single_rows(y)
    return fill_by_rows(
        lambda rows: kernel.single_between(rows, columns),
        kernel.single_rows(x),
        row_cost=y.shape[0],
    )


@eqx.filter_jit
def _product(kernel: Kernel, x: Array, y: Array, coefficients: Array) -> Array:
    def rows_product(rows: Array) -> Array:
        return kernel.between(rows, y) @ coefficients

    return fill_by_rows(rows_product, x, row_cost=y.shape[0])


def with_array_leaves(tree: Any) -> Any:
    """Floats as arrays: a program compiled for one bandwidth then serves every other."""
    return jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float64), tree)


def as_points(x: Any) -> Float[Array, "n d"]:
    """x in float64, refused unless it is a matrix of finite rows."""
    check_points(x)
    return jnp.asarray(x, jnp.float64)


def is_single(dtype: Any) -> bool:
    """Whether float32 is asked for, not float64; anything else is refused."""
    named = {"float32": True, "float64": False}
    try:
        return named["" if dtype is None else np.dtype(dtype).name]
    except (TypeError, KeyError):
        raise InvalidInputError(
            f'dtype of a Gram matrix must be "float32" or "float64", got {dtype!r}.'
        ) from None


def _like_pair(x: Array, y: Array) -> tuple[Array, Array]:
    if x.shape[1] != y.shape[1]:
        raise InvalidInputError(
            f"A kernel compares points of one dimension, got {x.shape[1]} and {y.shape[1]} columns."
        )
    return x, y


def _one_row_each(coefficients: Any, y: Array) -> Float[Array, "m k"]:
    got = getattr(coefficients, "shape", type(coefficients).__name__)
    if not isinstance(got, tuple) or len(got) != 2 or got[0] != y.shape[0]:
        raise InvalidInputError(
            f"coefficients must have shape ({y.shape[0]}, k), a row for each of y, got {got}."
        )
    return jnp.asarray(coefficients, jnp.float64)
