"""Random features: neurons that stay as they were drawn, and a ridge head.

    w_j ~ N(0, I/d),  b_j ~ N(0, 1)
    a  ←  argmin  mean (y − aᵀσ(Wx + b))² + λ|a|²                       (λ on validation rows)

It is the finite version of the conjugate kernel: with fewer neurons than the C(d + p, p)
monomials of degree at most p it is limited by its width and not by its samples. With a kernel
given, σ(Wx + b) is replaced by that kernel's random features.
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.kernels import Kernel, RandomMap, random_features
from featlearn.kernels._base import with_array_leaves
from featlearn.kernels.ridge import PENALTIES
from featlearn.learners._fitting import check_level, fit_checked, like_inputs
from featlearn.learners._head import Features, HeadRule
from featlearn.learners._linear_part import no_linear_part
from featlearn.learners._network import NetworkFit, hidden_layer
from featlearn.learners._split import Split, split_rows
from featlearn.learners.one_step import check_width
from featlearn.memory import check_memory
from featlearn.precision import double_inside
from featlearn.samples import Sample, check_sample

LIMITED = 0.5  # a fit that uses more than this part of its features would use more of them


class FeatureFit(eqx.Module):
    """aᵀφ(x), with the random features φ of a kernel."""

    map: RandomMap
    head: Float[Array, "m k"]
    record: dict[str, Any]
    dim: int = eqx.field(static=True)
    flat: bool = eqx.field(static=True)  # labels had shape (n,)

    @double_inside
    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
        out = self.map(like_inputs(x, self.dim, jnp.float64)) @ self.head
        return out[:, 0] if self.flat else out

    @double_inside
    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n m"]:
        """φ(x); level 0 is x itself."""
        check_level(level)
        x = like_inputs(x, self.dim, jnp.float64)
        return self.map(x) if level else x


class RandomFeatures(eqx.Module):
    """Ridge on `width` random features; λ from `penalties` by validation.

    width        random features; `record["width_limited"]` says whether ridge at its best λ uses
                 more than half of them (effective dimension over width): then the result is the
                 width's and not the samples'
    kernel       whose features they are; None draws ReLU neurons as above
    penalties    candidates for λ
    """

    width: int = eqx.field(static=True)
    kernel: Kernel | None = None
    penalties: tuple[float, ...] = eqx.field(static=True, default=PENALTIES, kw_only=True)

    def __check_init__(self) -> None:
        check_width(self.width)
        if self.kernel is not None and not isinstance(self.kernel, Kernel):
            raise InvalidInputError(f"kernel must be a kernel or None, got {self.kernel!r}.")
        _ = self.rule

    @property
    def rule(self) -> HeadRule:
        """How the head is fitted."""
        return HeadRule(penalties=self.penalties)

    def fit(self, sample: Sample, *, key: Key[Array, ""]) -> NetworkFit | FeatureFit:
        """Fit on a sample; the last fifth of its rows chooses λ."""
        check_sample(sample)
        self._check_memory(sample.n)
        return fit_checked(self, sample, key)

    def _check_memory(self, n: int) -> None:
        """The n × n or the m × m side of ridge, four times, and on the first the features."""
        by_rows = 2 * n < self.width
        check_memory(
            8 * (4 * n**2 + n * self.width) if by_rows else 8 * 4 * self.width**2,
            f"Ridge on {self.width} random features of {n} samples",
            "Take a smaller width" + (" or fewer samples." if by_rows else "."),
        )

    def fit_arrays(self, sample: Sample, key: Key[Array, ""]) -> NetworkFit | FeatureFit:
        """`fit` without checks: pure, and so fit for `jit` and `vmap`."""
        if self.kernel is not None:
            return self._of_kernel(self.kernel, sample, key)
        key_w, key_b = jax.random.split(key)
        scale = np.float32(1 / np.sqrt(sample.dim))
        weight = scale * jax.random.normal(key_w, (self.width, sample.dim), jnp.float32)
        bias = jax.random.normal(key_b, (self.width,), jnp.float32)
        head, record, split = self._head(lambda x: hidden_layer(x, weight, bias), sample)
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

    def _of_kernel(self, kernel: Kernel, sample: Sample, key: Key[Array, ""]) -> FeatureFit:
        phi = random_features(with_array_leaves(kernel), self.width, key, dim=sample.dim)
        head, record, _ = self._head(phi, sample)
        return FeatureFit(phi, head, record, dim=sample.dim, flat=sample.y.ndim == 1)

    def _head(self, features: Features, sample: Sample) -> tuple[Array, dict[str, Any], Split]:
        split = split_rows(sample)
        start = jnp.zeros((self.width, split.train.y.shape[1]))
        head, record = self.rule.fit(features, split, start)
        limited = record["effective_dimension"] > LIMITED * self.width
        return head, record | {"width_limited": limited}, split
