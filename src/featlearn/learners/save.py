"""Sliced average variance estimation (Cook & Weisberg 1991): how the spread of x moves with y.

    M = Σ_s p_s (I − V_s)²,    V_s = the covariance of x in slice s of the labels, p_s its share

It sees what an even function does, at the price of a d × d covariance in every slice.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.kernels.ridge import PENALTIES
from featlearn.learners._fitting import fit_checked
from featlearn.learners._head import HeadRule
from featlearn.learners._network import NetworkFit
from featlearn.learners._projected import check_rank, check_slices, fit_projected, slice_of
from featlearn.learners.one_step import check_width
from featlearn.samples import Sample


class SAVE(eqx.Module):
    """The directions in which the slices' covariances differ from I.

    width        random neurons of the directions found, with a ridge head
    rank         how many directions to find
    slices       slices of equal size by the order of the labels
    whiten       standardise x by its sample covariance; False where x is known to be isotropic
    penalties    candidates for λ
    """

    width: int = eqx.field(static=True)
    rank: int = eqx.field(static=True, default=1, kw_only=True)
    slices: int = eqx.field(static=True, default=10, kw_only=True)
    whiten: bool = eqx.field(static=True, default=True, kw_only=True)
    penalties: tuple[float, ...] = eqx.field(static=True, default=PENALTIES, kw_only=True)

    def __check_init__(self) -> None:
        check_width(self.width)
        check_rank(self.rank)
        check_slices(self.slices)
        _ = self.rule

    @property
    def rule(self) -> HeadRule:
        """How the head is fitted."""
        return HeadRule(penalties=self.penalties)

    def fit(self, sample: Sample, *, key: Key[Array, ""]) -> NetworkFit:
        """Fit on a sample; the last fifth of its rows chooses λ."""
        return fit_checked(self, sample, key)

    def fit_arrays(self, sample: Sample, key: Key[Array, ""]) -> NetworkFit:
        """`fit` without checks: pure, and so fit for `jit` and `vmap`."""
        return fit_projected(
            self.matrix,
            sample,
            key,
            width=self.width,
            rank=self.rank,
            whiten=self.whiten,
            rule=self.rule,
        )

    def matrix(
        self, x: Float[Array, "n d"], y: Float[Array, "n"], weight: Float[Array, "n"]
    ) -> Float[Array, "d d"]:
        """Σ p_s (I − V_s)²."""
        n = jnp.maximum(weight.sum(), 1.0)

        def part(inside: Float[Array, "n"]) -> Float[Array, "d d"]:
            size = jnp.maximum(inside.sum(), 1.0)
            centred = x - (inside @ x) / size
            rest = jnp.eye(x.shape[1]) - (centred * inside[:, None]).T @ centred / size
            return (size / n) * rest @ rest

        return jax.lax.map(part, slice_of(y, weight, self.slices).T).sum(0)
