"""Principal Hessian directions (Li 1992): where the labels correlate with products of inputs.

    M = mean (y_i − ȳ)(x_i xᵢᵀ)    and under x ~ N(0, I), by Stein's identity, E M = E ∇²f = H

Labels are residuals: without their constant and linear parts.
"""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.kernels.ridge import PENALTIES
from featlearn.learners._fitting import fit_checked
from featlearn.learners._head import HeadRule
from featlearn.learners._network import NetworkFit
from featlearn.learners._projected import check_rank, fit_projected
from featlearn.learners.one_step import check_width
from featlearn.samples import Sample


class PHd(eqx.Module):
    """The leading eigenvectors of the averaged Hessian, estimated from products of inputs.

    width        random neurons of the directions found, with a ridge head
    rank         how many directions to find
    whiten       standardise x by its sample covariance; False where x is known to be isotropic
    penalties    candidates for λ
    """

    width: int = eqx.field(static=True)
    rank: int = eqx.field(static=True, default=1, kw_only=True)
    whiten: bool = eqx.field(static=True, default=True, kw_only=True)
    penalties: tuple[float, ...] = eqx.field(static=True, default=PENALTIES, kw_only=True)

    def __check_init__(self) -> None:
        check_width(self.width)
        check_rank(self.rank)
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
        """mean y x xᵀ."""
        n = jnp.maximum(weight.sum(), 1.0)
        rest = (y - (weight @ y) / n) * weight
        return (x * rest[:, None]).T @ x / n
