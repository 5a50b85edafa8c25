"""Maximum likelihood of many censored regressions at once.

    y = a + s x + σ ε,   ε ~ N(0, 1);   of some y only a bound c is known

In θ = 1/σ, α = a/σ, β = s/σ the residual z = θy − α − βx is linear, and (Olsen 1978)

    log L = Σ_exact (log θ − z²/2) + Σ_{y>c} log Φ(−z) + Σ_{y<c} log Φ(z) − (ε₀θ)²/2

is concave, so that Newton steps with backtracking find its maximum. The last term, one residual
of size ε₀, keeps θ finite where the exact points lie on a line.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

Floats = NDArray[np.float64]

RESIDUAL = 1e-3  # ε₀ in log units: one part in a thousand of a threshold
STEPS, HALVINGS = 100, 40
TOLERANCE = 1e-10  # of the Newton decrement: what is left to gain in log L


@dataclass(frozen=True)
class Tobit:
    """log L of B problems. Parameters p (B, k) end in θ; z = rows · p."""

    exact: Floats  # (B,) number of exact points, with multiplicity
    gram: Floats  # (B, k, k) Σ rows rowsᵀ over exact points, with multiplicity
    rows: Floats  # (B or 1, m, k) rows of the censored points, times +1 (y > c) or −1 (y < c)
    weight: Floats  # (B or 1, m) their multiplicity

    @classmethod
    def of(cls, rows: Floats, side: NDArray[np.int64], weight: Floats) -> "Tobit":
        """From rows (B or 1, n, k), side (n,) of 0, +1 or −1, and multiplicities (B or 1, n)."""
        exact = side == 0
        counted = rows[:, exact] * weight[:, exact, None]
        gram = np.swapaxes(counted, 1, 2) @ rows[:, exact]
        gram[:, -1, -1] += RESIDUAL**2
        censored = rows[:, ~exact] * side[~exact, None]
        return cls(weight[:, exact].sum(axis=1), gram, censored, weight[:, ~exact])

    def value(self, p: Floats) -> Floats:
        """log L, (B,); −inf where θ <= 0."""
        theta = p[:, -1]
        log_theta = np.log(np.where(theta > 0, theta, 1.0))
        barrier = np.where(theta > 0, self.exact * log_theta, -np.inf)
        quadratic = np.einsum("bi,bij,bj->b", p, self.gram, p) / 2
        return barrier - quadratic + (self.weight * log_ndtr(self._margin(p))).sum(axis=1)

    def maximum(self, start: Floats) -> Floats:
        """The maximisers p (B, k)."""
        p, value = start, self.value(start)
        for _ in range(STEPS):
            step, gain = self._newton(p)
            if (gain < TOLERANCE).all():
                break
            p, value = self._ascend(p, value, step)
        return p

    def _ascend(self, p: Floats, value: Floats, step: Floats) -> tuple[Floats, Floats]:
        """p + t·step with t in [0, 1] halved until log L does not fall; θ stays positive."""
        theta, change = p[:, -1], step[:, -1]
        t = np.minimum(1.0, 0.9 * theta / np.maximum(-change, 1e-300))
        for _ in range(HALVINGS):
            moved = p + t[:, None] * step
            reached = self.value(moved)
            fallen = reached < value
            if not fallen.any():
                return moved, reached
            t = np.where(fallen, t / 2, t)
        kept = fallen[:, None]
        return np.where(kept, p, moved), np.where(fallen, value, reached)

    def _newton(self, p: Floats) -> tuple[Floats, Floats]:
        """The Newton step and its decrement."""
        t = self._margin(p)
        hazard = _hazard(t)
        curved = self.weight * np.clip(hazard * (hazard + t), 0.0, 1.0)
        slope = -np.einsum("bij,bj->bi", self.gram, p)
        slope -= ((self.weight * hazard)[:, None, :] @ self.rows)[:, 0]
        slope[:, -1] += self.exact / p[:, -1]
        hessian = self.gram + np.swapaxes(self.rows, 1, 2) @ (curved[:, :, None] * self.rows)
        hessian[:, -1, -1] += self.exact / p[:, -1] ** 2
        scale = np.trace(hessian, axis1=1, axis2=2)[:, None, None]
        hessian = hessian + 1e-13 * scale * np.eye(p.shape[1])
        step = np.linalg.solve(hessian, slope[:, :, None])[:, :, 0]
        return step, (step * slope).sum(axis=1)

    def _margin(self, p: Floats) -> Floats:
        """−z for y > c and z for y < c: log Φ of it is the point's log likelihood."""
        return -np.asarray((self.rows @ p[:, :, None])[:, :, 0])


def _hazard(t: Floats) -> Floats:
    """φ(t)/Φ(t), about −t far to the left."""
    near = np.maximum(t, -1e3)
    return np.where(t < -1e3, -t, np.exp(-(near**2) / 2 - np.log(2 * np.pi) / 2 - log_ndtr(near)))
