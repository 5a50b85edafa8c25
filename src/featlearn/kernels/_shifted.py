"""(A + λI)⁻¹b for many λ, from one decomposition of A, by either of two routes.

    A = Q T Qᵀ          Q orthogonal, as Householder reflectors; T tridiagonal
    A = Q Λ Qᵀ          Q orthogonal, dense; Λ diagonal
    (A + λI)⁻¹ b = Q (T + λI)⁻¹ Qᵀ b

The tridiagonal reduction costs 4n³/3, a small part of an eigendecomposition, and each λ costs
2n² more (n for the tridiagonal system, the rest to rotate back). `shifted` chooses the route.
"""

import abc
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import linalg, scan
from jaxtyping import Array, Float

from featlearn.decompositions import one_by_one

ROUNDING = float(np.finfo(np.float64).eps)


class Shifted(eqx.Module):
    """A symmetric A ⪰ 0 that is to be solved for many shifts."""

    @abc.abstractmethod
    def solve(self, b: Float[Array, "n k"], shifts: Float[Array, "l"]) -> Float[Array, "l n k"]:
        """(A + λI)⁻¹b for each λ."""

    @abc.abstractmethod
    def effective_dimension(self, shift: Float[Array, ""]) -> Float[Array, ""]:
        """tr A(A + λI)⁻¹."""

    @property
    @abc.abstractmethod
    def size(self) -> int:
        """n."""

    @abc.abstractmethod
    def norm(self) -> Float[Array, ""]:
        """|A|, of Frobenius."""

    def rounding(self) -> Float[Array, ""]:
        """n ε |A|: eigenvalues below it are noise of any sign."""
        return self.size * ROUNDING * self.norm()

    def floored(self, shift: Float[Array, "*s"]) -> Float[Array, "*s"]:
        """λ, but at least the rounding of A."""
        return jnp.maximum(shift, self.rounding())


def shifted(matrix: Float[Array, "n n"]) -> Shifted:
    """Decompose a symmetric positive semi-definite matrix; only its lower triangle is read."""
    return route(jax.default_backend())(matrix.astype(jnp.float64))


class Tridiagonal(Shifted):
    """A = Q T Qᵀ."""

    diagonal: Float[Array, "n"]
    beside: Float[Array, "n-1"]
    reflectors: Float[Array, "n-1 n-1"]
    scales: Float[Array, "n-1"]

    def solve(self, b: Float[Array, "n k"], shifts: Float[Array, "l"]) -> Float[Array, "l n k"]:
        n, k, many = *b.shape, shifts.shape[0]
        diagonal = self.diagonal[:, None] + self.floored(shifts)
        solved = _eliminate(diagonal, self.beside, self._rotate(b, transpose=True))
        together = solved.reshape(n, many * k)
        back = self._rotate(together, transpose=False)
        return jnp.moveaxis(back.reshape(n, many, k), 1, 0)

    def effective_dimension(self, shift: Float[Array, ""]) -> Float[Array, ""]:
        """tr A(A + λI)⁻¹ = n − λ tr (T + λI)⁻¹.

        The inverse's diagonal is 1/(p_i + q_i − t_i), with the pivots p of the elimination from
        the top and q of the one from the bottom.
        """
        shift = self.floored(shift)
        t = self.diagonal + shift
        zero = jnp.zeros(1, t.dtype)
        squares = jnp.concatenate([zero, self.beside**2])
        squares_up = jnp.concatenate([zero, self.beside[::-1] ** 2])
        down, up = _pivots(t, squares), _pivots(t[::-1], squares_up)[::-1]
        return jnp.maximum(jnp.sum(1 - shift / (down + up - t)), 0.0)

    @property
    def size(self) -> int:
        return self.diagonal.shape[0]

    def norm(self) -> Float[Array, ""]:
        return jnp.sqrt(jnp.sum(self.diagonal**2) + 2 * jnp.sum(self.beside**2))

    def _rotate(self, b: Float[Array, "n k"], transpose: bool) -> Float[Array, "n k"]:
        """Qᵀb or Qb; Q leaves the first row as it is."""
        if b.shape[0] < 2:
            return b
        turn = _turn_back if transpose else _turn
        return jnp.concatenate([b[:1], turn(self.reflectors, self.scales, b[1:])])


def tridiagonal(matrix: Float[Array, "n n"]) -> Tridiagonal:
    """Reduce a symmetric matrix in float64 to a tridiagonal one."""
    packed, diagonal, beside, scales = _reduce(matrix)
    return Tridiagonal(diagonal, beside, packed[1:, :-1], scales)


class Spectral(Shifted):
    """A = Q Λ Qᵀ."""

    eigenvalues: Float[Array, "n"]
    vectors: Float[Array, "n n"]

    def solve(self, b: Float[Array, "n k"], shifts: Float[Array, "l"]) -> Float[Array, "l n k"]:
        n, k, many = *b.shape, shifts.shape[0]
        scaled = (self.vectors.T @ b)[:, None, :] / self._lifted(shifts).T[:, :, None]
        back = self.vectors @ scaled.reshape(n, many * k)
        return jnp.moveaxis(back.reshape(n, many, k), 1, 0)

    def effective_dimension(self, shift: Float[Array, ""]) -> Float[Array, ""]:
        return jnp.sum(self.eigenvalues / self._lifted(shift))

    @property
    def size(self) -> int:
        return self.eigenvalues.shape[0]

    def norm(self) -> Float[Array, ""]:
        return jnp.sqrt(jnp.sum(self.eigenvalues**2))

    def _lifted(self, shift: Float[Array, "*s"]) -> Float[Array, "*s n"]:
        """Λ + λ."""
        return self.eigenvalues + self.floored(shift)[..., None]


def spectral(matrix: Float[Array, "n n"]) -> Spectral:
    """Decompose a matrix ⪰ 0 in float64; negative eigenvalues are rounding."""
    vectors, eigenvalues = _decompose(matrix)
    return Spectral(jnp.maximum(eigenvalues, 0.0), vectors)


def route(backend: str) -> Callable[[Float[Array, "n n"]], Shifted]:
    """The faster route of a backend.

    GPU libraries reduce matrix after matrix, and each of the n steps of `_pivots` is a launch:
    on an H200 the eigendecomposition with 100 λ took half the time of the tridiagonal
    route for 16 matrices of n = 1000, a tenth for 64 of n = 100. A TPU has no such reduction.
    """
    return tridiagonal if backend == "cpu" else spectral


@one_by_one
def _reduce(matrix: Float[Array, "n n"]) -> tuple[Array, Array, Array, Array]:
    packed, diagonal, beside, scales = linalg.tridiagonal(matrix, lower=True)
    return packed, diagonal, beside, scales


@one_by_one
def _decompose(matrix: Float[Array, "n n"]) -> tuple[Array, Array]:
    vectors, eigenvalues = linalg.eigh(matrix, lower=True, symmetrize_input=False)
    return vectors, eigenvalues


@one_by_one
def _turn(reflectors: Array, scales: Array, b: Array) -> Array:
    return linalg.ormqr(reflectors, scales, b, transpose=False)


@one_by_one
def _turn_back(reflectors: Array, scales: Array, b: Array) -> Array:
    return linalg.ormqr(reflectors, scales, b, transpose=True)


def _eliminate(
    diagonal: Float[Array, "n l"], beside: Float[Array, "n-1"], b: Float[Array, "n k"]
) -> Float[Array, "n l k"]:
    """(T + λI)⁻¹b for all λ at once, without pivoting: T + λI is positive definite.

    p_i = t_i − e_i²/p_{i−1},  g_i = (b_i − e_i g_{i−1})/p_i,  x_i = g_i − e_{i+1} x_{i+1}/p_i
    """
    zero = jnp.zeros(1, beside.dtype)
    many, k = diagonal.shape[1], b.shape[1]

    def forward(before: tuple[Array, Array], row: tuple[Array, Array, Array]) -> Any:
        (p, g), (t, e, right) = before, row
        p = t - e**2 / p
        g = (right - e * g) / p[:, None]
        return (p, g), (p, g)

    start = (jnp.ones(many, b.dtype), jnp.zeros((many, k), b.dtype))
    _, (pivots, half) = scan(forward, start, (diagonal, jnp.concatenate([zero, beside]), b))

    def backward(after: Array, row: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        p, g, e = row
        x = g - (e / p)[:, None] * after
        return x, x

    rows = (pivots, half, jnp.concatenate([beside, zero]))
    return scan(backward, jnp.zeros((many, k), b.dtype), rows, reverse=True)[1]


def _pivots(diagonal: Float[Array, "n"], squares: Float[Array, "n"]) -> Float[Array, "n"]:
    """p_i = t_i − e_i²/p_{i−1}: what elimination from the first row leaves on the diagonal."""

    def eliminate(before: Array, row: tuple[Array, Array]) -> tuple[Array, Array]:
        here, square = row
        pivot = here - square / before
        return pivot, pivot

    one = jnp.ones((), diagonal.dtype)
    return scan(eliminate, one, (diagonal, squares))[1]
