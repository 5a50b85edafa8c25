"""A base signal and a composite one: H(x) = βF(x) + αG(F(x)).

F is simple and large, G(F) small and hard: what learns F and hands it on pays C(F) and C(G), and
a kernel, which knows no F, pays C(G∘F).

C(G∘F) is exact where the composition has units of its own that can be told:

    F = φ(⟨w, x⟩), G of one number       one power series, composed
    F linear                             units of G along the directions that F gives them
    F, G products of coordinates         one longer product, unless a coordinate were squared

The numbers are C on |x| ≤ R for F and G∘F, with R the largest norm of the inputs, and on the unit
ball for G, as the document counts them: for F = √d⟨w, x⟩ and G = z^10 on the unit sphere they are
√d, 10 and 10 d⁵.
"""

from typing import Any

import equinox as eqx
import jax
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
from featlearn.targets._base import Analytic, Facts, Target
from featlearn.targets._composition import composed_complexity, composed_moments
from featlearn.targets._numeric import degree_of, subspace_of
from featlearn.targets.multi_index import single_index
from featlearn.targets.series import power
from featlearn.targets.units import Units, check_dims, units


class Residual(Target):
    """H(x) = βF(x) + αG(F(x)). Build one with `residual`.

    α and β are leaves of the pytree, so that targets of several strengths stack in a fleet.
    """

    base: Target
    composite: Target
    alpha: Float[Array, ""]
    beta: Float[Array, ""]

    @property  # type: ignore[misc]
    def dim(self) -> int:  # type: ignore[override]
        return self.base.dim

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
        f = self.base(x)
        g = self.composite(in_columns(f)).reshape(f.shape)
        return self.beta.astype(f.dtype) * f + self.alpha.astype(f.dtype) * g

    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n k"]:
        """F(x) at level 1, G(F(x)) at level 2."""
        if level not in (1, 2):
            return super().features(x, level)
        f = in_columns(self.base(x))
        return f if level == 1 else in_columns(self.composite(f))

    def facts(self, inputs: Inputs) -> Facts:
        """The three complexities, degree and S*; moments where `_composition` knows them."""
        check_dims(self, inputs)
        if traced((self, inputs)):
            return Facts(levels=2)
        radius = inputs.largest_norm()
        return Facts(
            subspace=subspace_of(self, self.dim, near(self)),
            degree=self._degree(inputs),
            gaps=self._gaps(),
            levels=2,
            **complexities(self.base, self.composite, radius),
            **composed_moments(
                self.base, self.composite, float(self.alpha), float(self.beta), inputs
            ),
        )

    def _gaps(self) -> tuple[float, ...] | None:
        strengths = float(self.beta), float(self.alpha)
        return strengths if min(strengths) > 0 else None

    def _degree(self, inputs: Inputs) -> int | None:
        p, q = degrees(self.base, self.composite)
        return None if p is None or q is None else degree_of(self, self.dim, max(p, p * q))


def residual(base: Target, composite: Target, alpha: Any, beta: Any = 1.0) -> Residual:
    """H = βF + αG(F), from a base F: R^d → R^k and a composite G: R^k → R^k.

    Any targets serve; wrap a plain function in `from_function`. Where both are series, G's must
    converge on the range that F reaches.

        residual(products([(0, 1), (2, 3)], 4), products([(0, 1)] * 2, 2), alpha=0.3)
    """
    check_pair(base, composite)
    for name, value in (("alpha", alpha), ("beta", beta)):
        check_shape(name, value, ())
        check_finite(name, value)
    if not traced(alpha, beta) and not (np.asarray(alpha) or np.asarray(beta)):
        raise InvalidInputError("alpha and beta are both 0: the target is constant. Set one.")
    if isinstance(base, Units) and isinstance(composite, Units) and not traced(base, composite):
        composite.complexity(base.reach(base.radius))
    return Residual(base, composite, default_float(alpha), default_float(beta))  # type: ignore[call-arg]


def powered(
    p: int,
    dim: int,
    alpha: Any,
    beta: Any = 1.0,
    *,
    key: Key[Array, ""] | None = None,
    direction: Any = None,
) -> Residual:
    """H = βF + αF^p with F = √d⟨w, x⟩, for x on the unit sphere: `Sphere(dim, 1.0)`.

    w is uniform on the sphere (`key`), or `direction` scaled to unit length.
    """
    check_count("p", p, least=2)
    w = single_index({1: 1.0}, dim, key=key, direction=direction).directions
    return residual(units(power(1, dim**0.5), w), units(power(p), [[1.0]], radius=dim**0.5), alpha,
                    beta)  # fmt: skip


class Given(Target):
    """A plain function of points as a target, of which nothing is known."""

    dim: int = eqx.field(static=True)
    function: Any

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
        return self.function(x)

    def facts(self, inputs: Inputs) -> Facts:
        check_dims(self, inputs)
        return Facts()


def from_function(function: Any, dim: int) -> Given:
    """A target from x (n, d) ↦ labels (n,) or (n, k), written in jax.numpy."""
    target = Given(check_count("dim", dim), function)
    output_shape(target)
    return target


def check_pair(base: Target, composite: Target) -> None:
    """Refuse a G that cannot take F's outputs, or cannot be added to them."""
    f, g = output_shape(base), output_shape(composite)
    k = f[0] if f else 1
    if composite.dim != k:
        raise InvalidInputError(
            f"G takes {composite.dim} inputs and F gives {k} outputs. Give a composite of dim {k}."
        )
    if (g[0] if g else 1) != k:
        raise InvalidInputError(
            f"G gives {g[0] if g else 1} outputs, to be added to the {k} of F. "
            f"Give a composite with {k} outputs."
        )


def output_shape(target: Target) -> tuple[int, ...]:
    """() for labels (n,), (k,) for labels (n, k)."""
    probe = jax.eval_shape(target, jax.ShapeDtypeStruct((1, target.dim), jnp.float32)).shape
    if len(probe) not in (1, 2) or probe[0] != 1:
        raise InvalidInputError(
            f"A target gives labels (n,) or (n, k) for n points; got shape {probe} for one point."
        )
    return probe[1:]


def in_columns(values: Float[Array, "n *k"]) -> Float[Array, "n k"]:
    return values[:, None] if values.ndim == 1 else values


def near(target: Any) -> float:
    """Points of this size lie where the series of F and G converge."""
    return target.base.near() if isinstance(target.base, Units) else 1.0


def degrees(base: Target, composite: Target) -> tuple[int | None, int | None]:
    """Of F and of G, where they are polynomials and say so."""
    known = (t.degree if isinstance(t, Analytic) else None for t in (base, composite))
    first, second = known
    return first, second


def complexities(base: Target, composite: Target, radius: Any) -> dict[str, Any]:
    """C(F), C(G) and C(G∘F)."""
    bounded = radius is not None
    return {
        "base_complexity": base.complexity(float(radius))
        if bounded and isinstance(base, Analytic)
        else None,
        "composite_complexity": composite.complexity() if isinstance(composite, Analytic) else None,
        "composed_complexity": composed_complexity(base, composite, float(radius))
        if bounded
        else None,
    }
