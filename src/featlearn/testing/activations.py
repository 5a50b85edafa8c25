"""What every activation promises, and its Gaussian averages by dense quadrature."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from featlearn.kernels import Activation
from featlearn.precision import double_precision
from featlearn.testing.bands import check_equal, require

NODES = 150
APART = ((1.0, 1.0, 0.3), (0.5, 2.0, -0.7), (0.1, 0.3, 0.1), (1.0, 2.0, 0.0))
EQUAL = ((0.1, 0.1, 0.1), (1.0, 1.0, 1.0), (3.0, 3.0, 3.0))
NAMES = ("E φφ", "E φ'φ'")
KINKED = 1e-6  # tolerances above it are for functions whose series is cut early
EDGES = ((1.0, 1.0, -1.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0))
Function = Callable[[Any], Any]


@double_precision
def check_activation(activation: Activation, *, tolerance: float = 1e-10) -> None:
    """Check both averages against quadrature of φ and φ', and against one another.

    `tolerance` is relative to √(E φ(u)² E φ(v)²). Where φ has a kink
    quadrature errs by up to 5e-2 of it.

    check_activation(Erf())
    """
    places = np.array(APART + EQUAL + EDGES)
    pairs, slopes = _averages_and_slopes(activation, places)
    left, right = _squares(activation, places[:, 0]), _squares(activation, places[:, 1])
    sizes = np.sqrt(left * right)
    for i, place in enumerate(APART):
        slow = slow_averages(activation, *place)
        for name, got, wanted, size in zip(NAMES, pairs[i], slow, sizes[i], strict=True):
            require(
                abs(got - wanted) <= tolerance * size,
                f"{name} at (a, b, c) = {place}: {got:.12g}, and by quadrature {wanted:.12g}.",
            )
        off = abs(slopes[i, 0, 2] - pairs[i, 1]) / sizes[i, 1]
        allowed = 1e-8 if tolerance < KINKED else 1.0
        require(off <= allowed, f"∂/∂c E φφ: differs from E φ'φ' by {off:.2g} at {place}.")
    equal = slice(len(APART), len(APART + EQUAL))
    check_equal("at, against u = v", left[equal], pairs[equal], tolerance=1e-7)
    for i, place in enumerate(places):
        finite = np.isfinite(slopes[i]).all()
        require(finite, f"gradient: not finite at (a, b, c) = {tuple(place)}.")


def slow_averages(function: Function, a: float, b: float, c: float) -> tuple[float, float]:
    """E φ(u) φ(v) and E φ'(u) φ'(v) by Gauss–Hermite quadrature in the plane, |c| < √(ab)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights, rho = weights / weights.sum(), c / np.sqrt(a * b)
    w, other = np.meshgrid(nodes, nodes, indexing="ij")
    u, v = np.sqrt(a) * w, np.sqrt(b) * (rho * w + np.sqrt(1 - rho**2) * other)
    (f, df), (g, dg) = (jax.jvp(function, (jnp.asarray(z),), (jnp.ones(z.shape),)) for z in (u, v))
    return tuple(float(weights @ np.asarray(p * q) @ weights) for p, q in ((f, g), (df, dg)))  # type: ignore[return-value]


def _averages_and_slopes(activation: Activation, places: np.ndarray) -> tuple[Any, Any]:
    """Both averages at each (a, b, c), (n, 2), and their derivatives, (n, 2, 3)."""

    def one(place: Any) -> Any:
        return jnp.stack([v[0, 0] for v in activation.averages(*place.reshape(3, 1, 1))])

    both = jax.jit(jax.vmap(lambda place: (one(place), jax.jacrev(one)(place))))
    averages, slopes = both(jnp.asarray(places))
    return np.asarray(averages), np.asarray(slopes)


def _squares(activation: Activation, a: np.ndarray) -> np.ndarray:
    return np.stack(activation.at(jnp.asarray(a)), axis=1)
