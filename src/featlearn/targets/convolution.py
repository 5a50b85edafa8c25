"""The same base signal on every patch: H(x) = β Σ_j F(x^(j)) + αG(Σ_j v_j F(x^(j))).

Patches are stretches of x of the length that F takes, one every `stride` coordinates.
"""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.inputs import Hypercube, Inputs, Patches
from featlearn.inputs._checks import (
    check_count,
    check_finite,
    check_shape,
    default_float,
    traced,
)
from featlearn.targets._base import Analytic, Facts, Target
from featlearn.targets._composition import composed_products
from featlearn.targets._numeric import degree_of, subspace_of
from featlearn.targets.multilinear import combined, moments, moved
from featlearn.targets.products import Products
from featlearn.targets.residual import check_pair, degrees, in_columns, near
from featlearn.targets.units import Units, check_dims


class Convolution(Target):
    """H(x) = β Σ_j F(x^(j)) + αG(Σ_j v_j F(x^(j))). Build one with `convolution`."""

    base: Target
    composite: Target
    alpha: Float[Array, ""]
    beta: Float[Array, ""]
    weights: Float[Array, "p"]
    dim: int = eqx.field(static=True)
    stride: int = eqx.field(static=True)

    @property
    def patches(self) -> int:
        return self.weights.shape[-1]

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
        f = self._on_patches(x)
        total = f.sum(axis=1)
        g = self.composite(in_columns(self._mixed(f))).reshape(total.shape)
        return self.beta.astype(x.dtype) * total + self.alpha.astype(x.dtype) * g

    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n k"]:
        """F of every patch at level 1, G of their weighted sum at level 2."""
        if level not in (1, 2):
            return super().features(x, level)
        f = self._on_patches(x)
        return f.reshape(len(x), -1) if level == 1 else in_columns(
            self.composite(in_columns(self._mixed(f)))
        )  # fmt: skip

    def _on_patches(self, x: Float[Array, "n d"]) -> Float[Array, "n p *k"]:
        size = self.base.dim
        starts = jnp.arange(self.patches) * self.stride
        patches = x[:, starts[:, None] + jnp.arange(size)]
        f = self.base(patches.reshape(-1, size))
        return f.reshape(len(x), self.patches, *f.shape[1:])

    def _mixed(self, f: Float[Array, "n p *k"]) -> Float[Array, "n *k"]:
        return jnp.tensordot(f, self.weights.astype(f.dtype), axes=([1], [0]))

    def facts(self, inputs: Inputs) -> Facts:
        """C(F) of all patches together and C(G); degree, S*, and moments for products."""
        check_dims(self, inputs)
        if traced((self, inputs)):
            return Facts(levels=2)
        radius = self._patch_norm(inputs)
        f, g = self.base, self.composite
        p, q = degrees(f, g)
        bounded = radius is not None
        return Facts(
            subspace=subspace_of(self, self.dim, near(self)),
            degree=None if p is None or q is None else degree_of(self, self.dim, max(p, p * q)),
            levels=2,
            base_complexity=self.patches * f.complexity(float(radius))
            if bounded and isinstance(f, Analytic)
            else None,
            composite_complexity=g.complexity() if isinstance(g, Analytic) else None,
            **self._moments(inputs),
        )

    def _patch_norm(self, inputs: Inputs) -> Any:
        """The largest norm of a patch."""
        size = self.base.dim
        if isinstance(inputs, Hypercube):
            return size**0.5
        if isinstance(inputs, Patches) and inputs.patch.dim == size == self.stride:
            return inputs.patch.largest_norm()
        return inputs.largest_norm()

    def _moments(self, inputs: Inputs) -> dict[str, Any]:
        if not (isinstance(self.base, Products) and isinstance(self.composite, Products)):
            return {}
        shifted = [
            [moved(f, j * self.stride) for j in range(self.patches)] for f in self.base.terms()
        ]
        v = [float(weight) for weight in self.weights]
        mixed = tuple(combined(list(zip(v, fs, strict=True))) for fs in shifted)
        g = composed_products(mixed, self.composite)
        if g is None:
            return {}
        alpha, beta = float(self.alpha), float(self.beta)
        whole = [
            combined([*((beta, f) for f in fs), (alpha, b)])
            for fs, b in zip(shifted, g, strict=True)
        ]
        return moments(whole, self.dim, inputs)


def convolution(
    base: Target,
    composite: Target,
    alpha: Any,
    beta: Any = 1.0,
    *,
    dim: int,
    stride: int | None = None,
    weights: Any = None,
) -> Convolution:
    """Σ_j F(x^(j)) and G of their weighted sum, over the patches of x in R^dim.

    stride    from one patch to the next; the length of a patch by default, so that none overlap
    weights   v, one for each patch; 1 unless given

        convolution(F, G, alpha=0.3, dim=24, weights=[1, -1, 1, -1, 1, -1])
    """
    check_pair(base, composite)
    dim, size = check_count("dim", dim), base.dim
    stride = size if stride is None else check_count("stride", stride)
    if dim < size or (dim - size) % stride:
        raise InvalidInputError(
            f"Patches of length {size} every {stride} coordinates do not end at dim {dim}. "
            f"Give dim = {size} + {stride} · (patches − 1)."
        )
    count = (dim - size) // stride + 1
    weights = np.ones(count) if weights is None else weights
    check_shape("weights", weights, (count,))
    for name, value in (("alpha", alpha), ("beta", beta), ("weights", weights)):
        check_finite(name, value)
    if isinstance(base, Units) and isinstance(composite, Units) and not traced(weights):
        composite.complexity(float(np.abs(weights).sum()) * base.reach(base.radius))
    floats = (default_float(value) for value in (alpha, beta, weights))
    return Convolution(base, composite, *floats, dim, stride)  # type: ignore
