"""Parity of p coordinates, and the quadratic network that represents it exactly.

    y = Π_{i ∈ I} x_i,    |I| = p

With σ(z) = z² a product of two numbers is a difference of two neurons, ab = σ((a+b)/2) −
σ((a−b)/2), and the differences of one layer are linear in what the next one reads: for p = 2^L
a network of L layers with 2^L, 2^{L−1}, …, 2 neurons is the parity, on all of R^d.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from featlearn.errors import InvalidInputError
from featlearn.inputs import Gaussian, Hypercube, Inputs, Uniform
from featlearn.inputs._checks import check_count, default_float, traced
from featlearn.targets._base import Facts, Target
from featlearn.targets.dense import Dense


class Parity(Target):
    """y = Π_{i ∈ I} x_i; build one with `parity`. I is a leaf, so that parities stack."""

    coordinates: Int[Array, "p"]
    dim: int = eqx.field(static=True)

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n"]:
        return jnp.prod(x[:, self.coordinates], axis=1)

    def facts(self, inputs: Inputs) -> Facts:
        """Degree and S*; moments where the coordinates of x are independent."""
        if traced((self.coordinates, inputs)):
            return Facts(degree=self.coordinates.shape[0])
        chosen = np.asarray(self.coordinates)
        exponent: dict[str, Any] = {"information_exponent": len(chosen), "leap": len(chosen)}
        return Facts(
            subspace=np.eye(self.dim)[:, chosen],
            degree=len(chosen),
            **(_moments(chosen, inputs) if _independent(inputs) else {}),
            **(exponent if inputs.standard else {}),
        )


def parity(
    degree: int,
    dim: int,
    *,
    coordinates: Sequence[int] | None = None,
    key: Key[Array, ""] | None = None,
) -> Parity:
    """The product of `degree` coordinates: those given, drawn by `key`, or else the first ones.

    parity(4, 30, key=key)
    """
    dim, degree = check_count("dim", dim), check_count("degree", degree)
    if degree > dim:
        raise InvalidInputError(f"{degree} coordinates of {dim} cannot differ. Give a larger dim.")
    if coordinates is not None and key is not None:
        raise InvalidInputError("Give coordinates= to set or key= to draw, not both.")
    if coordinates is not None:
        return Parity(coordinates=_checked(coordinates, degree, dim), dim=dim)
    order = jnp.arange(dim) if key is None else jax.random.permutation(key, dim)
    return Parity(coordinates=order[:degree].astype(jnp.int32), dim=dim)


def parity_network(degree: int, dim: int, *, coordinates: Sequence[int] | None = None) -> Dense:
    """The dense quadratic network with the values of `parity`; `degree` is a power of two.

    parity_network(4, 30)(x)        # x_1 x_2 x_3 x_4
    """
    levels = check_count("degree", degree, least=2).bit_length() - 1
    if degree != 2**levels:
        raise InvalidInputError(
            f"A network of L layers has degree 2^L, got degree {degree}. Give a power of two."
        )
    chosen = np.asarray(parity(degree, dim, coordinates=coordinates).coordinates)
    first = _pairs(degree) @ np.eye(dim)[chosen]
    above = [_pairs(degree >> at) @ _differences(degree >> at) for at in range(1, levels)]
    widths = [degree >> at for at in range(levels)]
    return Dense(
        weights=tuple((default_float(w),) for w in [first, *above]),
        gaps=default_float([0.0] * (levels - 1) + [1.0]),
        signs=tuple(default_float([1.0, -1.0] * (k // 2)) for k in widths),
        square_mean=None,
        graph=tuple((level,) for level in range(levels)),
        dim=dim,
    )


def _pairs(count: int) -> np.ndarray:
    """(a + b)/2 and (a − b)/2 for each pair of `count` numbers."""
    return np.kron(np.eye(count // 2), [[0.5, 0.5], [0.5, -0.5]])


def _differences(count: int) -> np.ndarray:
    """σ((a+b)/2) − σ((a−b)/2) = ab for each pair of neurons, of which there are 2·count."""
    return np.kron(np.eye(count), [[1.0, -1.0]])


def _independent(inputs: Inputs) -> bool:
    if isinstance(inputs, Gaussian):
        return inputs.root is None or inputs.root.ndim == 1
    return isinstance(inputs, Hypercube | Uniform)


def _moments(chosen: np.ndarray, inputs: Inputs) -> dict[str, Any]:
    """Products over independent coordinates of E x_i, and of E x_i²."""
    m = np.asarray(inputs.mean(), np.float64)[chosen]
    v = np.diag(np.asarray(inputs.covariance(), np.float64))[chosen]
    slopes, curves = np.zeros(inputs.dim), np.zeros((inputs.dim, inputs.dim))
    for a, i in enumerate(chosen):
        slopes[i] = _product(m, a)
        for b, j in enumerate(chosen):
            curves[i, j] = _product(m, a, b) if a != b else 0.0
    return {
        "mean": prod(m.tolist()),
        "second_moment": prod((m**2 + v).tolist()),
        "linear": slopes,
        "hessian": curves,
    }


def _product(m: np.ndarray, *without: int) -> float:
    return float(np.prod(np.delete(m, without)))


def _checked(coordinates: Sequence[int], degree: int, dim: int) -> Int[Array, "p"]:
    chosen = [int(i) for i in coordinates]
    if len(set(chosen)) != degree or min(chosen) < 0 or max(chosen) >= dim:
        raise InvalidInputError(
            f"coordinates must be {degree} different ones of 0 … {dim - 1}, got {chosen}."
        )
    return jnp.asarray(chosen, jnp.int32)
