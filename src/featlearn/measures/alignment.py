"""How far a kernel has moved between two moments of training, from Gram matrices on n points.

    change     ‖K_t − K_0‖ / ‖K_0‖                                      (Frobenius norms)
    alignment  ⟨HK_0H, HK_tH⟩ / (‖HK_0H‖ ‖HK_tH‖),   H = I − 11ᵀ/n      (centred; CKA)

A lazy network has change → 0 and alignment → 1 as it widens; a factor on the kernel changes the
first and not the second. Both see the points they are given: with few points, random kernels are
aligned too (as 1/√n without a common part), so a number means something only beside a control.
Standard errors are jackknife ones, over points.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.measures.estimates import Estimate
from featlearn.precision import double_inside

LEAST = 3  # points: centred kernels of two points are all alike
ROUNDING = 1e-13  # of ‖K‖²: a centred part below it is what centring left of a constant


class Drift(eqx.Module):
    """`change` and `alignment` of a kernel, and the `share` that it has of all squared change."""

    change: Estimate
    alignment: Estimate
    share: Float[Array, ""]


class _Sums(NamedTuple):
    """What inner products of two matrices are made of, without each point in turn, and with all."""

    product: Float[Array, "p"]  # Σ A_ij B_ij
    rows: Float[Array, "p"]  # Σ_i A_i· B_i·
    first: Float[Array, "p"]  # Σ A_ij
    second: Float[Array, "p"]  # Σ B_ij
    number: Float[Array, "p"]  # of points

    def plain(self) -> Float[Array, "p"]:
        """⟨A, B⟩."""
        return self.product

    def centred(self) -> Float[Array, "p"]:
        """⟨HAH, HBH⟩ = ⟨A, B⟩ − 2/n Σ_i A_i· B_i· + A_·· B_··/n²."""
        n = self.number
        return self.product - 2 / n * self.rows + self.first * self.second / n**2


@double_inside
def kernel_alignment(
    one: Float[Array, "n n"], other: Float[Array, "n n"], *, centred: bool = True
) -> Estimate:
    """The cosine between two (centred) Gram matrices: 1 if one is a multiple of the other.

    Centred, a constant added to a kernel does not count. 0 where either has no centred part.
    """
    return _alignment(*_pair(one, other), centred)


@double_inside
def kernel_change(before: Float[Array, "n n"], after: Float[Array, "n n"]) -> Estimate:
    """‖K_t − K_0‖/‖K_0‖ in the Frobenius norm; 0 for kernels that are both zero."""
    return _change(*_pair(before, after))


def kernel_drift(
    before: Mapping[str, Float[Array, "n n"]], after: Mapping[str, Float[Array, "n n"]]
) -> dict[str, Drift]:
    """`Drift` of each layer's Gram matrix, by name.

        before, after = (empirical_ntk(fn, p).layers(x) for p in (start, trained))
        kernel_drift(before, after)["0"].change.value

    Shares are parts of Σ_l ‖K_l,t − K_l,0‖², in squared units of the kernel and not relative to
    each layer's own: they say where the whole kernel's motion comes from.
    """
    if not before or list(before) != list(after):
        raise InvalidInputError(
            "kernel_drift takes the Gram matrices of the same layers at two moments, got "
            f"{list(before)} and {list(after)}."
        )
    moved = _squared_moves(dict(before), dict(after))
    return {
        name: Drift(
            kernel_change(before[name], after[name]),
            kernel_alignment(before[name], after[name]),
            moved[name],
        )
        for name in before
    }


@double_inside
def _squared_moves(before: dict[str, Array], after: dict[str, Array]) -> dict[str, Array]:
    pairs = {name: _pair(before[name], after[name]) for name in before}
    size = jnp.max(jnp.stack([_largest(b - a) for a, b in pairs.values()]))
    squares = {name: jnp.sum(((b - a) / size) ** 2) for name, (a, b) in pairs.items()}
    total = jnp.sum(jnp.stack(list(squares.values())))
    return {name: _ratio(square, total) for name, square in squares.items()}


@partial(jax.jit, static_argnums=2)
def _alignment(a: Float[Array, "n n"], b: Float[Array, "n n"], centred: bool) -> Estimate:
    a, b = a / _largest(a), b / _largest(b)

    def inner(u: Array, v: Array) -> Array:
        sums = _sums(u, v)
        return sums.centred() if centred else sums.plain()

    def square(u: Array) -> Array:
        part, noise = inner(u, u), ROUNDING * _sums(u, u).plain()
        return jnp.where(part > noise, part, 0.0)

    lengths = jnp.sqrt(square(a) * square(b))
    return _jackknife(_ratio(inner(a, b), lengths))


@jax.jit
def _change(a: Float[Array, "n n"], b: Float[Array, "n n"]) -> Estimate:
    size = jnp.maximum(_largest(a), _largest(b))
    a, b = a / size, b / size
    moved, start = (_sums(u, u).plain() for u in (b - a, a))
    return _jackknife(jnp.sqrt(jnp.maximum(_ratio(moved, start), 0.0)))


def _pair(one: Array, other: Array) -> tuple[Array, Array]:
    shapes: list[Any] = [getattr(k, "shape", type(k).__name__) for k in (one, other)]
    fits = shapes[0] == shapes[1] and isinstance(shapes[0], tuple) and len(shapes[0]) == 2
    if not fits or shapes[0][0] != shapes[0][1] or shapes[0][0] < LEAST:
        raise InvalidInputError(
            f"Two Gram matrices on the same n ≥ {LEAST} points must have one shape (n, n), "
            f"got {shapes[0]} and {shapes[1]}."
        )
    return jnp.asarray(one, jnp.float64), jnp.asarray(other, jnp.float64)


def _largest(matrix: Float[Array, "n n"]) -> Float[Array, ""]:
    return jnp.maximum(jnp.max(jnp.abs(matrix)), jnp.finfo(jnp.float64).tiny)


def _ratio(above: Array, below: Array) -> Array:
    positive = below > 0
    return jnp.where(positive, above / jnp.where(positive, below, 1.0), 0.0)


def _sums(a: Float[Array, "n n"], b: Float[Array, "n n"]) -> _Sums:
    """Entry 0 with all points, entry p + 1 without point p: O(n²) for all of them."""
    n = a.shape[0]
    products, row_a, row_b = a * b, a.sum(1), b.sum(1)
    diagonal_a, diagonal_b = jnp.diagonal(a), jnp.diagonal(b)
    product, rows = products.sum(), row_a @ row_b
    # Without p, row i sums to A_i· − A_ip, and row p itself is gone.
    rows_left = (
        rows - row_a @ b - row_b @ a + products.sum(0) - (row_a - diagonal_a) * (row_b - diagonal_b)
    )

    def with_all(whole: Array, left: Array) -> Array:
        return jnp.concatenate([whole[None], left])

    return _Sums(
        with_all(product, product - 2 * products.sum(1) + diagonal_a * diagonal_b),
        with_all(rows, rows_left),
        with_all(a.sum(), a.sum() - 2 * row_a + diagonal_a),
        with_all(b.sum(), b.sum() - 2 * row_b + diagonal_b),
        jnp.concatenate([jnp.full(1, float(n)), jnp.full(n, n - 1.0)]),
    )


def _jackknife(values: Float[Array, "p"]) -> Estimate:
    """The value with all points, and √((n − 1)/n Σ_p (v_p − v̄)²) from those without one each."""
    n = values.shape[0] - 1
    left = values[1:]
    stderr = jnp.sqrt((n - 1) / n * jnp.sum((left - left.mean()) ** 2))
    return Estimate(values[0], stderr, jnp.asarray(n, jnp.int32))
