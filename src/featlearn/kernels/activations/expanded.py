"""Any function as an activation, by its Hermite expansion at each variance.

For u = √a w, v = √b w' with w, w' ~ N(0, 1) of correlation ρ, and h_m = He_m/√m!:

    E h_k(w) h_m(w') = δ_km ρ^m
    E φ(u) φ(v)   = Σ_m f_m(a) f_m(b) ρ^m,     f_m(a) = E φ(√a w) h_m(w)
    E φ'(u) φ'(v) = Σ_m g_m(a) g_m(b) ρ^m,     g_m(a) = E φ'(√a w) h_m(w)

The sums stop at a number of terms, and f_m, g_m come from Gauss–Hermite quadrature. Each term is
a Schur product of positive semi-definite matrices, so the sums are too, wherever they stop.
"""

from collections.abc import Callable
from functools import lru_cache
from math import sqrt

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from featlearn.errors import InvalidInputError
from featlearn.kernels._checks import check_integer
from featlearn.kernels._geometry import safe_sqrt
from featlearn.kernels.activations._base import Activation, Averages, Squares

MOST_NODES = 256  # beyond, the smallest weights of Gauss–Hermite quadrature underflow


class Expanded(Activation):
    """Any function φ of numbers, by the first `terms` terms of the expansion at each variance.

    function    elementwise, from JAX operations; φ' is its derivative, so that a jump is lost
    terms       m < terms: what they leave out of E φ(√a w)² is `left_out(a)`
    nodes       of the Gauss–Hermite quadrature for f_m and g_m

    Kernel and diagonal are those of the truncated φ, and positive semi-definite whatever is left
    out. Functions analytic near the real axis lose little (of tanh at a = 1 below 1e-7); where φ
    has a kink terms fall as m^{−5/2} and quadrature errs by about 1/nodes.
    """

    function: Callable[[Array], Array] = eqx.field(static=True)
    terms: int = eqx.field(static=True, default=40)
    nodes: int = eqx.field(static=True, default=200)

    def __check_init__(self) -> None:
        if not callable(self.function):
            raise InvalidInputError(
                f"Expanded takes a function of an array, got {self.function!r}."
            )
        check_integer("terms", self.terms, least=1)
        check_integer("nodes", self.nodes, least=1)
        if not self.terms <= self.nodes <= MOST_NODES:
            raise InvalidInputError(
                f"nodes must be between terms and {MOST_NODES}, got {self.nodes} nodes for "
                f"{self.terms} terms."
            )

    def __call__(self, z: Float[Array, "*s"]) -> Float[Array, "*s"]:
        return self.function(z)

    def averages(self, a: Array, b: Array, c: Array) -> Averages:
        values, slopes = self._coefficients(a[:, 0])
        values_b, slopes_b = self._coefficients(b[0, :])
        both = safe_sqrt(a * b)
        rho = jnp.where(both > 0, c / jnp.where(both > 0, both, 1.0), 0.0)
        return _powers(values, values_b, rho), _powers(slopes, slopes_b, rho)

    def at(self, a: Array) -> Squares:
        values, slopes = self._coefficients(a)
        return jnp.sum(values**2, axis=1), jnp.sum(slopes**2, axis=1)

    def left_out(self, a: Float[Array, "n"]) -> Float[Array, "n"]:
        """The part of E φ(√a w)² in terms that are not kept.

        By the same quadrature: where φ has a kink, a third too small for terms near nodes/6.
        """
        nodes, weights, _ = _quadrature(self.nodes, self.terms)
        square = self.function(jnp.sqrt(a)[:, None] * nodes) ** 2 @ weights
        return 1 - self.at(a)[0] / square

    def _coefficients(self, a: Float[Array, "n"]) -> tuple[Array, Array]:
        """f_m(a) and g_m(a), (n, terms)."""
        nodes, weights, basis = _quadrature(self.nodes, self.terms)
        z = safe_sqrt(a)[:, None] * nodes
        value, slope = jax.jvp(self.function, (z,), (jnp.ones_like(z),))
        project = weights[:, None] * basis
        return value @ project, slope @ project


def _powers(left: Array, right: Array, rho: Array) -> Float[Array, "n m"]:
    """Σ_m l_im r_jm ρ_ij^m."""
    total = jnp.zeros_like(rho)
    for m in reversed(range(left.shape[1])):
        total = left[:, m, None] * right[None, :, m] + total * rho
    return total


@lru_cache(maxsize=4)
def _quadrature(nodes: int, terms: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes, weights that sum to 1, and h_m at the nodes, (nodes, terms)."""
    x, weights = np.polynomial.hermite_e.hermegauss(nodes)
    rows = [np.ones_like(x), x]
    for m in range(1, terms):
        rows.append((x * rows[m] - sqrt(m) * rows[m - 1]) / sqrt(m + 1))
    return x, weights / weights.sum(), np.stack(rows[:terms], axis=1)
