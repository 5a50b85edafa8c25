"""Products of coordinates.

f_j(x) = c_j Π_{i ∈ S_j} x_i          C(f) = Σ_j |c_j| C(Π_{i ∈ S_j} x_i)
"""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.inputs import Inputs
from featlearn.inputs._checks import (
    check_count,
    check_finite,
    check_shape,
    default_float,
    traced,
)
from featlearn.targets._base import Analytic, Facts
from featlearn.targets.multilinear import Multilinear, moments
from featlearn.targets.series import product_complexity
from featlearn.targets.units import check_dims


class Products(Analytic):
    """f_j(x) = c_j Π_{i ∈ S_j} x_i, one product of different coordinates for each output."""

    dim: int = eqx.field(static=True)
    sets: tuple[tuple[int, ...], ...] = eqx.field(static=True)
    factors: Float[Array, "k"]

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n k"]:
        columns = [jnp.prod(x[:, jnp.array(s)], axis=1) for s in self.sets]
        return jnp.stack(columns, axis=1) * self.factors.astype(x.dtype)

    def complexity(self, radius: float = 1.0) -> float:
        sizes = [product_complexity(len(s), radius) for s in self.sets]
        return float(np.abs(np.asarray(self.factors, np.float64)) @ np.array(sizes))

    def reach(self, radius: float = 1.0) -> float:
        """Each product is at most (R/√p)^p."""
        largest = np.array([(radius / len(s) ** 0.5) ** len(s) for s in self.sets])
        return float(np.linalg.norm(np.asarray(self.factors, np.float64) * largest))

    @property
    def degree(self) -> int:
        return max(map(len, self.sets))

    def terms(self) -> tuple[Multilinear, ...]:
        """The outputs as sums of products."""
        return tuple({s: float(c)} for s, c in zip(self.sets, self.factors, strict=True))

    def facts(self, inputs: Inputs) -> Facts:
        """Everything but exponents; moments where coordinates are independent and of unit size."""
        check_dims(self, inputs)
        if traced((self.factors, inputs)):
            return Facts(degree=self.degree)
        used = sorted({i for s in self.sets for i in s})
        radius = inputs.largest_norm()
        return Facts(
            subspace=np.eye(self.dim)[:, used],
            degree=self.degree,
            base_complexity=None if radius is None else self.complexity(float(radius)),
            **moments(self.terms(), self.dim, inputs),
        )


def products(sets: Sequence[Sequence[int]], dim: int, *, factors: Any = None) -> Products:
    """One product for each set of coordinates (from 0), times `factors` (1 each unless given).

    products([(0, 1), (2, 3)], dim=4)          (x_1 x_2, x_3 x_4)
    """
    dim = check_count("dim", dim)
    chosen = tuple(tuple(sorted(int(i) for i in s)) for s in sets)
    for s in chosen or ((),):
        if not s or len(set(s)) < len(s) or not 0 <= s[0] <= s[-1] < dim:
            raise InvalidInputError(
                f"Each set names different coordinates out of 0 … {dim - 1}, at least one; "
                f"got {list(s)}."
            )
    factors = np.ones(len(chosen)) if factors is None else factors
    check_shape("factors", factors, (len(chosen),))
    check_finite("factors", factors)
    if not traced(factors) and not np.all(np.asarray(factors)):
        raise InvalidInputError("A factor is 0, and its output constant. Leave that output out.")
    return Products(dim, chosen, default_float(factors))
