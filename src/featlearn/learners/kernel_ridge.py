"""Kernel ridge regression, λ and the kernel's own numbers chosen on validation data.

α(λ) = (K/n + λI)⁻¹ y/n,    f(x) = Σ_i K(x, x_i) α_i
"""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.kernels import Kernel
from featlearn.kernels.ridge import PENALTIES, ridge_dual
from featlearn.learners._fitting import check_level, fit_checked, like_inputs
from featlearn.learners._head import check_penalties
from featlearn.learners._protocol import VALIDATION_FRACTION
from featlearn.learners._split import Split, split_rows
from featlearn.memory import check_memory
from featlearn.precision import double_inside, double_precision
from featlearn.samples import Sample


class KernelFit(eqx.Module):
    """f(x) = Σ_i K(x, x_i) α_i over the training points x_i."""

    kernel: Kernel
    points: Float[Array, "n d"]
    coefficients: Float[Array, "n k"]
    record: dict[str, Any]
    flat: bool = eqx.field(static=True)  # labels had shape (n,)

    @double_inside
    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n *k"]:
        x = like_inputs(x, self.points.shape[1], jnp.float64)
        out = self.kernel.product(x, self.points, self.coefficients)
        return out[:, 0] if self.flat else out

    @double_inside
    def features(self, x: Float[Array, "n d"], level: int = 1) -> Float[Array, "n m"]:
        """K(x, x_i) for each training point; level 0 is x itself."""
        check_level(level)
        x = like_inputs(x, self.points.shape[1], jnp.float64)
        return self.kernel(x, self.points) if level else x


class KernelRidge(eqx.Module):
    """Exact ridge on a Gram matrix.

    kernel       a kernel, or several of one form that differ in their numbers (bandwidths, say):
                 validation chooses among them, each at its best λ; `record["candidate"]` says which
    penalties    candidates for λ
    """

    kernels: Kernel  # the candidates, stacked
    count: int = eqx.field(static=True)
    penalties: tuple[float, ...] = eqx.field(static=True)

    def __init__(
        self, kernel: Kernel | Sequence[Kernel], *, penalties: tuple[float, ...] = PENALTIES
    ) -> None:
        candidates = [kernel] if isinstance(kernel, Kernel) else list(kernel)
        self.kernels, self.count = _stack(candidates), len(candidates)
        self.penalties = check_penalties(penalties)

    def fit(self, sample: Sample, *, key: Key[Array, ""]) -> KernelFit:
        """Fit on a sample; the last fifth of its rows chooses. Nothing is drawn from `key`."""
        if getattr(sample.x, "ndim", 0) == 2:
            check_memory(
                gram_bytes(sample.n),
                f"Exact kernel ridge on {sample.n} samples",
                "Take fewer samples, or RandomFeatures, whose memory does not grow with them.",
            )
        return fit_checked(self, sample, key)

    def fit_arrays(self, sample: Sample, key: Key[Array, ""]) -> KernelFit:
        """`fit` without checks: pure, and so fit for `jit` and `vmap`."""
        split = split_rows(sample)
        tried = jax.lax.map(lambda kernel: _best(kernel, split, self.penalties), self.kernels)
        errors = tried[1]["validation"].min(axis=1)
        chosen = jnp.argmin(jnp.where(jnp.isfinite(errors), errors, jnp.inf))
        coefficients, record = jax.tree.map(lambda leaf: leaf[chosen], tried)
        return KernelFit(
            kernel=jax.tree.map(lambda leaf: leaf[chosen], self.kernels),
            points=split.train.x,
            coefficients=coefficients,
            record=record | {"candidate": chosen, "candidate_errors": errors},
            flat=sample.y.ndim == 1,
        )


def gram_bytes(n: int) -> int:
    """What exact ridge on n samples holds at once: about four n × n matrices in float64."""
    train = n - int(n * VALIDATION_FRACTION)
    return 4 * 8 * train**2


def _best(
    kernel: Kernel, split: Split, penalties: tuple[float, ...]
) -> tuple[Array, dict[str, Any]]:
    train, validate = split
    path = ridge_dual(
        kernel(train.x),
        train.y,
        kernel(validate.x, train.x),
        validate.y,
        penalties,
        train.weight,
        validate.weight,
    )
    return path.coefficients, path.record()


@double_precision
def _stack(candidates: list[Kernel]) -> Kernel:
    if not candidates or not all(isinstance(kernel, Kernel) for kernel in candidates):
        raise InvalidInputError(
            f"KernelRidge takes a kernel or a sequence of kernels, got {candidates!r}."
        )
    arrays = [jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float64), k) for k in candidates]
    if len({str(jax.tree.structure(k)) for k in arrays}) > 1:
        raise InvalidInputError(
            "The candidates of one KernelRidge may differ in their floating numbers only (one "
            "program is compiled for all): give other kernels a KernelRidge of their own."
        )
    return jax.tree.map(lambda *leaf: jnp.stack(leaf), *arrays)
