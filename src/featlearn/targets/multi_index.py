"""f*(x) = g(⟨u_1, x⟩, …, ⟨u_r, x⟩) with a polynomial g: single- and multi-index teachers."""

from collections.abc import Mapping
from math import factorial
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.inputs import Inputs
from featlearn.inputs._checks import (
    check_count,
    check_finite,
    check_shape,
    default_float,
    traced,
)
from featlearn.targets import hermite
from featlearn.targets._base import Facts, Target
from featlearn.targets._frames import frame
from featlearn.targets._polynomial_facts import known_facts, traced_facts

ROUNDING = 1e-5  # UᵀU − I below this is the rounding of orthonormal float32 directions


class MultiIndex(Target):
    """f*(x) = Σ_a c_a Π_j He_{a_j}(⟨u_j, x⟩), He the probabilists' polynomials, not normalised.

    Build one with `single_index`, `multi_index` or `representation`. Directions u_j (columns) and
    coefficients are leaves of the pytree, the multi-indices are not: teachers with the same
    multi-indices stack. `orthonormal` says whether the u_j are known to be orthonormal.
    """

    directions: Float[Array, "d r"]
    coefficients: Float[Array, "m"]
    indices: hermite.Indices = eqx.field(static=True)
    orthonormal: bool = eqx.field(static=True)

    @property  # type: ignore[misc]
    def dim(self) -> int:  # type: ignore[override]
        return self.directions.shape[-2]

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        c = self.coefficients.astype(x.dtype)
        return hermite.evaluate(self._project(x), self.indices, c)

    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n k"]:
        """⟨u_1, x⟩, …, ⟨u_r, x⟩ at level 1."""
        return self._project(x) if level == 1 else super().features(x, level)

    def facts(self, inputs: Inputs) -> Facts:
        """Moments under Gaussians and their mixtures; exponents under N(0, I).

        Where JAX traces the teacher, only what needs no decision on its numbers is known, and S*
        is the span of the directions that the multi-indices use.
        """
        if inputs.dim != self.dim:
            raise InvalidInputError(
                f"The target has dim {self.dim} and the inputs have dim {inputs.dim}. "
                "Give both the same dim."
            )
        leaves = (self.directions, self.coefficients, inputs)
        return (traced_facts if traced(leaves) else known_facts)(self, inputs)

    def _project(self, x: Float[Array, "n d"]) -> Float[Array, "n r"]:
        # "highest": a GPU's default for float32 would leave three digits of a label
        return jnp.matmul(x, self.directions.astype(x.dtype), precision="highest")


def single_index(
    coefficients: Mapping[int, Any],
    dim: int,
    *,
    key: Key[Array, ""] | None = None,
    direction: Any = None,
) -> MultiIndex:
    """f*(x) = Σ_k c_k He_k(⟨u, x⟩) from {k: c_k}, so that E f*² = Σ c_k² k! under N(0, I).

    u is uniform on the sphere (`key`), or `direction` scaled to unit length.

        single_index({2: 0.5, 4: 0.1443}, dim=100, key=key)
    """
    terms: dict[tuple[int, ...], Any] = {(k,): c for k, c in coefficients.items()}
    if direction is None:
        return multi_index(terms, dim, key=key)
    dim = check_count("dim", dim)
    check_shape("direction", direction, (dim,))
    check_finite("direction", direction)
    if not traced(direction) and not np.any(np.asarray(direction)):
        raise InvalidInputError("direction is zero everywhere. Give a vector with a length.")
    _check_one_source(key, direction, "direction")
    u = default_float(direction)
    return _build(terms, (u / jnp.linalg.norm(u))[:, None], orthonormal=True)


def multi_index(
    coefficients: Mapping[tuple[int, ...], Any],
    dim: int,
    *,
    key: Key[Array, ""] | None = None,
    directions: Any = None,
) -> MultiIndex:
    """f*(x) = Σ_a c_a Π_j He_{a_j}(⟨u_j, x⟩) from {(a_1, …, a_r): c_a}.

    The u_j are a uniformly drawn orthonormal frame (`key`), or the columns of `directions` (d, r)
    as they are: any independent vectors.

        multi_index({(2, 0): 0.5, (1, 1): 0.3}, dim=100, key=key)
    """
    dim = check_count("dim", dim)
    r = _check_indices(coefficients)
    if r > dim:
        raise InvalidInputError(
            f"{r} directions cannot be independent in dimension {dim}. Give dim of at least {r}."
        )
    _check_one_source(key, directions, "directions")
    if directions is None:
        return _build(coefficients, frame(key, dim, r), orthonormal=True)
    check_shape("directions", directions, (dim, r))
    check_finite("directions", directions)
    return _build(
        coefficients, default_float(directions), orthonormal=_check_independent(directions)
    )


def representation(
    p: int, dim: int, *, key: Key[Array, ""] | None = None, direction: Any = None
) -> MultiIndex:
    """The teacher of the sample-complexity experiments, with E f*² = 1 under N(0, I).

        g = He_2/2 + He_p/√(2·p!),   and He_2/√2 for p = 2

    Its transfer target is `single_index({p: 1/√p!}, dim, direction=teacher.directions[:, 0])`.
    """
    check_count("p", p, least=2)
    terms = {2: 0.5**0.5} if p == 2 else {2: 0.5, p: (2.0 * factorial(p)) ** -0.5}
    return single_index(terms, dim, key=key, direction=direction)


def _build(terms: Mapping[Any, Any], directions: Array, orthonormal: bool) -> MultiIndex:
    _check_indices(terms)
    check_finite("coefficients", list(terms.values()))
    if not any(any(a) and (traced(c) or c != 0) for a, c in terms.items()):
        raise InvalidInputError(
            "The target is constant: every coefficient of degree 1 or more is 0 or missing. "
            "Give one that is not."
        )
    values = jnp.stack([default_float(c) for c in terms.values()])
    indices = tuple(tuple(int(k) for k in a) for a in terms)
    return MultiIndex(directions, values, indices, orthonormal)  # type: ignore[call-arg]


def _check_indices(terms: Mapping[Any, Any]) -> int:
    """The number of coordinates that all multi-indices have."""
    lengths = {len(a) if isinstance(a, tuple) else 0 for a in terms}
    whole = all(isinstance(k, int | np.integer) and k >= 0 for a in terms for k in _parts(a))
    if len(lengths) != 1 or 0 in lengths or not whole:
        raise InvalidInputError(
            "Coefficients are keyed by degrees, whole numbers of at least 0, as many in each key "
            f"as there are directions ({{2: 0.5}} or {{(2, 0): 0.5, (1, 1): 0.3}}); got the keys "
            f"{list(terms)}."
        )
    return lengths.pop()


def _parts(a: Any) -> tuple[Any, ...]:
    return a if isinstance(a, tuple) else (a,)


def _check_one_source(key: Any, given: Any, name: str) -> None:
    if (key is None) == (given is None):
        got = "neither" if key is None else "both"
        raise InvalidInputError(f"Give key= to draw or {name}= to set, one of the two; got {got}.")


def _check_independent(directions: Any) -> bool:
    """Refuse dependent columns; whether they are orthonormal (False where traced)."""
    if traced(directions):
        return False
    u = np.asarray(directions, np.float64)
    values = np.linalg.svd(u, compute_uv=False)
    if values[-1] <= ROUNDING * values[0]:
        raise InvalidInputError(
            "directions must be independent, and their singular values go from "
            f"{values[0]:.3g} down to {values[-1]:.3g}. Remove those that others span."
        )
    return bool(np.abs(u.T @ u - np.eye(u.shape[1])).max() < ROUNDING)
