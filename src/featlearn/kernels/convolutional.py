"""Kernels of infinitely wide convolutional ReLU networks.

For images with positions p and C channels, filters of q × q positions r around 0 and L layers:

    z_l(p) = σ_w/√(m q²) Σ_r W_l(r) h_{l−1}(p + r) + σ_b b_l,   h_l = relu(z_l),   h_0 = x
             (1/√C in place of 1/√m in the first layer; every weight and bias N(0, 1))
    f = σ_w/√(m |P|) Σ_p ⟨a_p, h_L(p)⟩ + σ_b b        readout "flatten", |P| positions
    f = σ_w/√m ⟨a, mean_p h_L(p)⟩ + σ_b b             readout "pool" (global average pooling)

Outside the image h is 0 (padding "zero") or its periodic continuation (padding "circular").
With (A M)(p, p′) = Σ_r M(p + r, p′ + r)/q², the average over the filter at both positions at once:

    Σ_1 = σ_w² A⟨x_p, y_p′⟩/C + σ_b²                          Θ_1 = Σ_1
    V_l = E relu(u) relu(v),  D_l = E 1[u>0] 1[v>0]           (u, v) ~ N(0, Σ_l)(p, p′)
    Σ_{l+1} = σ_w² A V_l + σ_b²                               Θ_{l+1} = Σ_{l+1} + σ_w² A(Θ_l D_l)
    K = σ_w² mean V_L + σ_b²  (+ σ_w² mean Θ_L D_L)           mean over p = p′, or over all p, p′

A moves both positions together, so "flatten" needs the pairs p = p′ alone: |P| numbers for a pair
of images where "pool" needs |P|².
"""

import abc
from functools import lru_cache
from math import isqrt
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.kernels._base import Kernel, as_points, is_single, with_array_leaves
from featlearn.kernels._convolutional_pairs import (
    Filters,
    Images,
    Padding,
    Positions,
    position_averages,
)
from featlearn.kernels._layers import check_network
from featlearn.kernels._pair_tiles import fill_by_tiles, fill_symmetric
from featlearn.memory import check_memory, device_budget, member_bytes
from featlearn.precision import double_inside

Readout = Literal["flatten", "pool"]
SLACK = (
    4  # XLA holds 2 to 3.5 times what the traced program has alive: it shifts arrays in parallel
)


class _Convolutional(Kernel):
    """A kernel of images, given as rows: pixel after pixel of image (H, W, C), channels last.

    Rows are `images.reshape(n, -1)` of an array (n, H, W, C). Normalisation: variances are means
    over channels and over the q² filter positions, also where some lie outside the image, so
    that zero padding dims the edges. One pixel with q = 1 (or circular padding) is a fully
    connected network of the same depth.

    depth             number L of convolutional layers, each followed by a ReLU
    image             (H, W, C)
    filter_size       q, odd: every layer keeps H × W positions
    padding           "zero" or "circular"
    readout           "flatten" or "pool"; with "pool" and circular padding K does not change
                      when an image is moved around
    weight_variance   σ_w²; 2 keeps the variance from layer to layer
    bias_variance     σ_b²
    """

    depth: int = eqx.field(static=True)
    image: tuple[int, int, int] = eqx.field(static=True, kw_only=True)
    filter_size: int = eqx.field(static=True, default=3, kw_only=True)
    padding: Padding = eqx.field(static=True, default="zero", kw_only=True)
    readout: Readout = eqx.field(static=True, default="pool", kw_only=True)
    weight_variance: float | Float[Array, ""] = eqx.field(default=2.0, kw_only=True)
    bias_variance: float | Float[Array, ""] = eqx.field(default=0.0, kw_only=True)

    def __check_init__(self) -> None:
        check_network(self.depth, self.weight_variance, self.bias_variance)
        _check_image(self.image)
        size = self.filter_size
        if not isinstance(size, int | np.integer) or size < 1 or size % 2 == 0:
            raise InvalidInputError(
                f"filter_size must be an odd positive integer, so that a filter has a centre, "
                f"got {size!r}."
            )
        if self.padding not in ("zero", "circular") or self.readout not in ("flatten", "pool"):
            raise InvalidInputError(
                "padding must be 'zero' or 'circular' and readout 'flatten' or 'pool', got "
                f"{self.padding!r} and {self.readout!r}."
            )

    @abc.abstractmethod
    def last(self, both: Float[Array, "n m"], passed: Float[Array, "n m"]) -> Float[Array, "n m"]:
        """K from the means over positions of V_L and of Θ_L D_L."""

    @double_inside
    def __call__(
        self,
        x: Float[Array, "n d"],
        y: Float[Array, "m d"] | None = None,
        *,
        dtype: Any = "float64",
    ) -> Float[Array, "n m"]:
        """The Gram matrix; of K(x, x) half is computed, as a pair of images is dear.

        dtype   of the result, "float64" or "float32": every pair is computed in float64
        """
        if y is not None:
            return super().__call__(x, y, dtype=dtype)
        single = is_single(dtype)
        images = self._images(as_points(x))
        block = self._block(len(images), len(images))
        return _symmetric(with_array_leaves(self), images, block, single)

    def between(self, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
        x, y = self._images(x), self._images(y)
        return fill_by_tiles(lambda x: x, self._pairs, x, y, self._block(len(x), len(y)))

    def at(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        images = self._images(x)
        at_once = min(self._block(len(images), 1) ** 2, len(images))
        return jax.lax.map(self._alone, images, batch_size=at_once)

    def _pairs(self, x: Images, y: Images, same: bool = False) -> Float[Array, "n m"]:
        averages = position_averages(
            x,
            y,
            self.depth,
            Filters(self.filter_size, self.padding),
            _positions(self.readout),
            self.weight_variance,
            self.bias_variance,
            same=same,
        )
        return self.last(*averages)

    def _alone(self, image: Float[Array, "h w c"]) -> Float[Array, ""]:
        return self._pairs(image[None], image[None], same=True)[0, 0]

    def _images(self, x: Float[Array, "n d"]) -> Images:
        height, width, channels = self.image
        if x.shape[1] != height * width * channels:
            raise InvalidInputError(
                f"Images of shape {self.image} are rows of {height * width * channels} numbers, "
                f"got {x.shape[1]}: reshape an array (n, H, W, C) to (n, -1), or change image."
            )
        return x.reshape(-1, height, width, channels)

    def _block(self, n: int, m: int) -> int:
        """Rows of a square tile of pairs that fits, refused if a single pair does not."""
        each = pair_bytes(self.depth, self.image, self.filter_size, self.padding, self.readout)
        height, width, _ = self.image
        remedy = "Take smaller images" + (
            ", or readout='flatten', which needs one number for a position where 'pool' needs "
            f"{height * width}."
            if self.readout == "pool"
            else "."
        )
        what = f"A single pair of {height} × {width} images with readout {self.readout!r}"
        check_memory(each, what, remedy)
        gram = 2 * 8 * n * m
        what = f"The Gram matrix of {n} × {m} images"
        check_memory(each + gram, what, "Take fewer images.")
        return max(1, isqrt(device_budget() // each))


class ConvolutionalNTK(_Convolutional):
    """K(x, y) = E ⟨∇f(x), ∇f(y)⟩ over all weights and biases, at random initialisation."""

    def last(self, both: Float[Array, "n m"], passed: Float[Array, "n m"]) -> Float[Array, "n m"]:
        return self.weight_variance * (both + passed) + self.bias_variance


class ConvolutionalConjugate(_Convolutional):
    """K(x, y) = Cov(f(x), f(y)) at random initialisation: only the readout is trained."""

    def last(self, both: Float[Array, "n m"], passed: Float[Array, "n m"]) -> Float[Array, "n m"]:
        return self.weight_variance * both + self.bias_variance


@eqx.filter_jit
def _symmetric(
    kernel: _Convolutional, images: Images, block: int, single: bool
) -> Float[Array, "n n"]:
    def pairs(x: Images, y: Images) -> Array:
        return kernel._pairs(x, y).astype(jnp.float32 if single else jnp.float64)

    gram = fill_symmetric(lambda x: x, pairs, images, block)
    each = jnp.arange(images.shape[0])
    diagonal = kernel.at(images.reshape(images.shape[0], -1))
    return gram.at[each, each].set(diagonal.astype(gram.dtype))


@lru_cache(maxsize=64)
def pair_bytes(
    depth: int, image: tuple[int, int, int], filter_size: int, padding: Padding, readout: Readout
) -> int:
    """An upper bound on the live bytes of one pair of images."""

    def pair(x: Array, y: Array) -> Any:
        filters = Filters(filter_size, padding)
        return position_averages(x, y, depth, filters, _positions(readout), 2.0, 0.1)

    one = jax.ShapeDtypeStruct((1, *image), jnp.float64)
    return SLACK * member_bytes(pair, one, one)


def _positions(readout: Readout) -> Positions:
    return "all" if readout == "pool" else "aligned"


def _check_image(image: Any) -> None:
    whole = isinstance(image, tuple) and all(isinstance(a, int | np.integer) for a in image)
    if not whole or len(image) != 3 or min(image) < 1:
        raise InvalidInputError(
            f"image must be (height, width, channels), three positive integers, got {image!r}."
        )
