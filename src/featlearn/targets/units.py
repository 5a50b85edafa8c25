"""Sums of functions of one direction each.

    f_j(x) = Σ_{i ∈ I_j} φ_i(⟨w_i, x⟩)          C(f) = Σ_i C(φ_i)

with power series φ_i. C is taken on |x| ≤ R, that is each φ_i on |z| ≤ R|w_i|: the same number
as for unit vectors and x in the unit ball, once both lengths are moved into φ_i.
"""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.inputs import Inputs
from featlearn.inputs._checks import check_count, check_finite, default_float, traced
from featlearn.targets._base import Analytic, Facts, Target
from featlearn.targets._moments import one_direction
from featlearn.targets._numeric import degree_of, subspace_of
from featlearn.targets.series import Series, check_radius


class Units(Analytic):
    """f_j(x) = Σ φ_i(⟨w_i, x⟩) over the units i of output j. Build one with `units`.

    Directions are leaves of the pytree, series and outputs are not: teachers of one form stack.
    """

    directions: Float[Array, "d u"]
    series: tuple[Series, ...]
    outputs: tuple[int, ...] | None = eqx.field(static=True)  # None: one output, labels (n,)
    radius: float = eqx.field(static=True)

    @property  # type: ignore[misc]
    def dim(self) -> int:  # type: ignore[override]
        return self.directions.shape[-2]

    @property
    def width(self) -> int:
        """How many outputs there are."""
        return 1 if self.outputs is None else max(self.outputs) + 1

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
        z = self.features(x)
        values = [phi(z[:, i]) for i, phi in enumerate(self.series)]
        if self.outputs is None:
            return sum(values[1:], values[0])
        columns: list[Any] = [jnp.zeros_like(values[0])] * self.width
        for j, value in zip(self.outputs, values, strict=True):
            columns[j] = columns[j] + value
        return jnp.stack(columns, axis=1)

    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n u"]:
        """⟨w_1, x⟩, …, ⟨w_u, x⟩ at level 1."""
        if level != 1:
            return super().features(x, level)
        return jnp.matmul(x, self.directions.astype(x.dtype), precision="highest")

    def complexity(self, radius: float = 1.0) -> float:
        """Σ_i C(φ_i) on |x| ≤ radius; refused where a series does not converge."""
        ranges = radius * self.lengths()
        pairs = zip(self.series, ranges, strict=True)
        return float(sum(phi.complexity(float(r)) for phi, r in pairs))

    def reach(self, radius: float = 1.0) -> float:
        """Some R' ≥ |f(x)| for |x| ≤ radius."""
        ranges = radius * self.lengths()
        sizes = np.zeros(self.width)
        for j, phi, r in zip(self.outputs or (0,) * len(ranges), self.series, ranges, strict=True):
            sizes[j] += phi.majorant(float(r))
        return float(np.linalg.norm(sizes))

    @property
    def degree(self) -> int | None:
        degrees = [phi.degree for phi in self.series]
        known = [p for p in degrees if p is not None]
        return max(known) if len(known) == len(degrees) else None

    def lengths(self) -> np.ndarray:
        """|w_i|"""
        return np.linalg.norm(np.asarray(self.directions, np.float64), axis=0)

    def facts(self, inputs: Inputs) -> Facts:
        """C under bounded inputs; degree and S*; moments for one direction on a sphere."""
        check_dims(self, inputs)
        if traced((self.directions, inputs)):
            return Facts(levels=1)
        radius, most = inputs.largest_norm(), self.degree
        return Facts(
            subspace=subspace_of(self, self.dim, self.near()),
            degree=None if most is None else degree_of(self, self.dim, most),
            levels=1,
            base_complexity=None if radius is None else self.complexity(float(radius)),
            **self._moments(inputs),
        )

    def near(self) -> float:
        """Points of this size stay where every series converges."""
        return min(1.0, self.radius / (4 * self.dim**0.5))

    def _moments(self, inputs: Inputs) -> dict[str, Any]:
        if len(self.series) > 1 or self.outputs is not None:
            return {}
        return one_direction(self.series[0], np.asarray(self.directions)[:, 0], inputs)


def units(
    series: Series | Sequence[Series],
    directions: Any,
    *,
    outputs: Sequence[int] | None = None,
    radius: float = 1.0,
) -> Units:
    """Σ_i φ_i(⟨w_i, x⟩), with w_i the columns of `directions` (d, u), taken as they are.

    series     one for each direction, or one for all
    outputs    which output each unit adds to, from 0; without it there is one output, labels (n,)
    radius     the largest |x| that it will see: every φ_i must converge on |z| ≤ radius |w_i|

        units([power(2, 0.25), power(2, -0.25)], [[1, 1], [1, -1]], radius=2)     x_1 x_2
    """
    columns = np.shape(directions)
    if len(columns) != 2 or 0 in columns:
        raise InvalidInputError(
            f"directions must have shape (d, u), a column for each unit, got {columns}."
        )
    check_finite("directions", directions)
    phis = (series,) * columns[1] if isinstance(series, Series) else tuple(series)
    if len(phis) != columns[1]:
        raise InvalidInputError(
            f"Got {len(phis)} series for {columns[1]} directions. "
            "Give one for each, or one for all."
        )
    check_radius(radius)
    built = Units(default_float(directions), phis, _checked_outputs(outputs, columns[1]), radius)  # type: ignore[call-arg]
    if not traced(directions):
        if not built.lengths().all():
            raise InvalidInputError("A direction is zero everywhere. Give vectors with a length.")
        built.complexity(radius)
    return built


def check_dims(target: Target, inputs: Inputs) -> None:
    """Refuse inputs of another dimension."""
    if inputs.dim != target.dim:
        raise InvalidInputError(
            f"The target has dim {target.dim} and the inputs have dim {inputs.dim}. "
            "Give both the same dim."
        )


def _checked_outputs(outputs: Sequence[int] | None, count: int) -> tuple[int, ...] | None:
    if outputs is None:
        return None
    chosen = tuple(check_count("an output", j, least=0) for j in outputs)
    if len(chosen) != count or set(chosen) != set(range(max(chosen, default=0) + 1)):
        raise InvalidInputError(
            f"outputs must name an output for each of {count} units, and leave none of "
            f"0 … {max(chosen, default=0)} without a unit; got {list(outputs)}."
        )
    return chosen
