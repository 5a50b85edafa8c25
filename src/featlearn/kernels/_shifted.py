"""(A + λI)⁻¹b for many λ, from one reduction of A to a tridiagonal matrix.

    A = Q T Qᵀ          Q orthogonal, as Householder reflectors; T tridiagonal
    (A + λI)⁻¹ b = Q (T + λI)⁻¹ Qᵀ b

The reduction costs 4n³/3, a small part of an eigendecomposition, and each λ costs 2n² more
(n for the tridiagonal system, the rest to rotate back).
"""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax.lax import linalg, scan
from jaxtyping import Array, Float

ROUNDING = float(np.finfo(np.float64).eps)


class Shifted(eqx.Module):
    """A symmetric A ⪰ 0 that is to be solved for many shifts."""

    diagonal: Float[Array, "n"]
    beside: Float[Array, "n-1"]
    reflectors: Float[Array, "n-1 n-1"]
    scales: Float[Array, "n-1"]

    def solve(self, b: Float[Array, "n k"], shifts: Float[Array, "l"]) -> Float[Array, "l n k"]:
        """(A + λI)⁻¹b for each λ."""
        n, k, many = *b.shape, shifts.shape[0]
        zero = jnp.zeros(1, b.dtype)
        below, above = (jnp.concatenate(v) for v in ((zero, self.beside), (self.beside, zero)))
        solved = linalg.tridiagonal_solve(
            jnp.broadcast_to(below, (many, n)),
            self.diagonal + self.floored(shifts)[:, None],
            jnp.broadcast_to(above, (many, n)),
            jnp.broadcast_to(self._rotate(b, transpose=True), (many, n, k)),
        )
        together = jnp.moveaxis(solved, 0, 1).reshape(n, many * k)
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

    def floored(self, shift: Float[Array, "*s"]) -> Float[Array, "*s"]:
        """λ, but at least the rounding of A: eigenvalues below n ε |A| are noise of any sign."""
        beside = jnp.abs(self.beside)
        zero = jnp.zeros(1, beside.dtype)
        rows = jnp.abs(self.diagonal)
        rows = rows + jnp.concatenate([beside, zero]) + jnp.concatenate([zero, beside])
        return jnp.maximum(shift, rows.shape[0] * ROUNDING * jnp.max(rows))

    def _rotate(self, b: Float[Array, "n k"], transpose: bool) -> Float[Array, "n k"]:
        """Qᵀb or Qb; Q leaves the first row as it is."""
        if b.shape[0] < 2:
            return b
        rest = linalg.ormqr(self.reflectors, self.scales, b[1:], transpose=transpose)
        return jnp.concatenate([b[:1], rest])


def shifted(matrix: Float[Array, "n n"]) -> Shifted:
    """Reduce a symmetric positive semi-definite matrix; only its lower triangle is read."""
    packed, diagonal, beside, scales = linalg.tridiagonal(matrix.astype(jnp.float64), lower=True)
    return Shifted(diagonal, beside, packed[1:, :-1], scales)


def _pivots(diagonal: Float[Array, "n"], squares: Float[Array, "n"]) -> Float[Array, "n"]:
    """p_i = t_i − e_i²/p_{i−1}: what elimination from the first row leaves on the diagonal."""

    def eliminate(before: Array, row: tuple[Array, Array]) -> tuple[Array, Array]:
        here, square = row
        pivot = here - square / before
        return pivot, pivot

    one = jnp.ones((), diagonal.dtype)
    return scan(eliminate, one, (diagonal, squares))[1]
