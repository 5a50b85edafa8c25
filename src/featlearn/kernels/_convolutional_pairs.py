"""Covariances of a convolutional network's layers at pairs of positions of pairs of images.

Arrays of pairs have axes (image of x, image of y, p) or (image of x, image of y, p, p′), with a
row and a column for each position: "aligned" pairs p = p′, or "all" of them.
"""

from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from featlearn.kernels._arc_cosine import relu_averages
from featlearn.kernels._layers import Scalar

Padding = Literal["zero", "circular"]
Positions = Literal["aligned", "all"]
Images = Float[Array, "n h w c"]


class Filters(NamedTuple):
    """q, and what lies outside an image."""

    size: int
    padding: Padding

    def average(
        self, values: Float[Array, "*s"], together: tuple[tuple[int, ...], ...]
    ) -> Float[Array, "*s"]:
        """The mean over a window, along each group of axes that move together."""
        reach = self.size // 2
        for axes in together:
            shifted = [self._shift(values, s, axes) for s in range(-reach, reach + 1)]
            values = sum(shifted[1:], start=shifted[0]) / self.size
        return values

    def _shift(self, values: Array, by: int, axes: tuple[int, ...]) -> Array:
        """The value at p + by."""
        if self.padding == "circular":
            return jnp.roll(values, (-by,) * len(axes), axes)
        if abs(by) >= values.shape[axes[0]]:
            return jnp.zeros_like(values)
        edges = [(-by, by, 0) if axis in axes else (0, 0, 0) for axis in range(values.ndim)]
        return jax.lax.pad(values, jnp.zeros((), values.dtype), edges)


MOVING: dict[str, tuple[tuple[int, ...], ...]] = {
    "variance": ((1,), (2,)),
    "aligned": ((2,), (3,)),
    "all": ((2, 4), (3, 5)),
}


def position_averages(
    x: Images,
    y: Images,
    depth: int,
    filters: Filters,
    positions: Positions,
    weight: Scalar,
    bias: Scalar,
    *,
    same: bool = False,
) -> tuple[Float[Array, "n m"], Float[Array, "n m"]]:
    """Means over positions of V_L and of Θ_L D_L.

    same   x and y are one image: where p = p′ the angle is 0 exactly, and to half the digits
           if it is taken from covariances
    """
    moving = MOVING[positions]
    v_x, v_y = (_first_variances(z, filters, weight, bias) for z in (x, y))
    covariance = weight * filters.average(_inner_products(x, y, positions), moving) + bias
    tangent = covariance
    for layer in range(depth):
        both, slope = relu_averages(*_broadcast(v_x, v_y, positions), covariance)
        if same:
            both, slope = _on_diagonal(both, slope, v_x, positions)
        passed = tangent * slope
        if layer == depth - 1:
            break
        covariance = weight * filters.average(both, moving) + bias
        tangent = covariance + weight * filters.average(passed, moving)
        v_x, v_y = (weight * filters.average(v / 2, MOVING["variance"]) + bias for v in (v_x, v_y))
    axes = tuple(range(2, both.ndim))
    return both.mean(axes), passed.mean(axes)


def _first_variances(
    x: Images, filters: Filters, weight: Scalar, bias: Scalar
) -> Float[Array, "n h w"]:
    """The diagonal of Σ_1: σ_w² A(|x_p|²/C) + σ_b²."""
    squares = jnp.sum(x**2, axis=-1) / x.shape[-1]
    return weight * filters.average(squares, MOVING["variance"]) + bias


def _inner_products(x: Images, y: Images, positions: Positions) -> Float[Array, "n m *p"]:
    """⟨x_p, y_p′⟩/C."""
    form = "nhwc,mhwc->nmhw" if positions == "aligned" else "nhwc,mijc->nmhwij"
    return jnp.einsum(form, x, y, precision="highest") / x.shape[-1]


def _broadcast(
    v_x: Float[Array, "n h w"], v_y: Float[Array, "m h w"], positions: Positions
) -> tuple[Array, Array]:
    """Variances along the axes of pairs."""
    if positions == "aligned":
        return v_x[:, None], v_y[None]
    return v_x[:, None, :, :, None, None], v_y[None, :, None, None]


def _on_diagonal(
    both: Array, slope: Array, variance: Float[Array, "1 h w"], positions: Positions
) -> tuple[Array, Array]:
    """E relu(u)² = Var u/2 and P(u > 0) = 1/2 where the two positions are one."""
    half, _ = _broadcast(variance / 2, variance, positions)
    if positions == "aligned":
        return half, jnp.full_like(slope, 0.5)
    h, w = variance.shape[1:]
    one = jnp.eye(h * w, dtype=bool).reshape(h, w, h, w)
    return jnp.where(one, half, both), jnp.where(one, 0.5, slope)
