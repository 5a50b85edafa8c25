"""Random features: neurons that stay as they were drawn, and a ridge head.

    w_j ~ N(0, I/d),  b_j ~ N(0, 1)
    a  ←  argmin  mean (y − aᵀσ(Wx + b))² + λ|a|²                       (λ on validation rows)

It is the finite version of the conjugate kernel: with fewer neurons than the C(d + p, p)
monomials of degree at most p it is limited by its width and not by its samples.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from featlearn.kernels.ridge import PENALTIES
from featlearn.learners._fitting import fit_checked
from featlearn.learners._head import HeadRule
from featlearn.learners._linear_part import no_linear_part
from featlearn.learners._network import NetworkFit, hidden_layer
from featlearn.learners._split import split_rows
from featlearn.learners.one_step import check_width
from featlearn.samples import Sample


class RandomFeatures(eqx.Module):
    """Ridge on `width` random ReLU neurons; λ from `penalties` by validation."""

    width: int = eqx.field(static=True)
    penalties: tuple[float, ...] = eqx.field(static=True, default=PENALTIES, kw_only=True)

    def __check_init__(self) -> None:
        check_width(self.width)
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
        split = split_rows(sample)
        key_w, key_b = jax.random.split(key)
        scale = np.float32(1 / np.sqrt(sample.dim))
        weight = scale * jax.random.normal(key_w, (self.width, sample.dim), jnp.float32)
        bias = jax.random.normal(key_b, (self.width,), jnp.float32)

        def hidden(x: Array) -> Array:
            return hidden_layer(x, weight, bias)

        start = jnp.zeros((self.width, split.train.y.shape[1]))
        head, record = self.rule.fit(hidden, split, start)
        constant, linear = no_linear_part(split.train)
        return NetworkFit(
            constant=constant,
            linear=linear,
            weight=weight,
            bias=bias,
            head=head,
            record=record,
            rule=self.rule,
            flat=sample.y.ndim == 1,
        )
