"""Kernel ridge regression, λ and the kernel's own numbers chosen on validation data.

α(λ) = (K/n + λI)⁻¹ y/n,    f(x) = Σ_i K(x, x_i) α_i
"""

from collections.abc import Sequence
from typing import Any, Literal

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from featlearn.kernels import Kernel
from featlearn.kernels.ridge import PENALTIES
from featlearn.kernels.ridge_iterative import Iterations
from featlearn.learners._dual import (
    SOLVERS,
    DualRule,
    Solver,
    check_definite,
    check_solved,
    stack_kernels,
)
from featlearn.learners._fitting import check_level, fit_checked, like_inputs
from featlearn.learners._head import check_penalties
from featlearn.learners._split import split_rows
from featlearn.precision import double_inside
from featlearn.samples import Sample, check_sample


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

    @property
    def solver(self) -> Solver:
        """Which solver found the coefficients."""
        return SOLVERS[int(self.record["solver"])]


class KernelRidge(eqx.Module):
    """Ridge on a Gram matrix.

    kernel        a kernel, or several of one form that differ in their numbers (bandwidths, say):
                  validation chooses among them, each at its best λ; `record["candidate"]` says
                  which
    penalties     candidates for λ. `record["grid_edge"]` is −1 or +1 where the best is the least
                  or the largest that was tried: give others beyond it
    solver        "exact": one decomposition serves every λ, the Gram matrix is held four times
                  "cholesky": one for each λ of a coarse-to-fine search; for a GPU
                  "iterative": the Gram matrix is never held, small λ may be left out
                  "auto": by the number of samples and the memory there is; `fit.solver` says
                  which (`record["solver"]` is its place in `SOLVERS`)
    iterations    how the iterative solver works
    """

    kernels: Kernel  # the candidates, stacked
    count: int = eqx.field(static=True)
    rule: DualRule

    def __init__(
        self,
        kernel: Kernel | Sequence[Kernel],
        *,
        penalties: tuple[float, ...] = PENALTIES,
        solver: Solver | Literal["auto"] = "auto",
        iterations: Iterations | None = None,
    ) -> None:
        self.kernels, self.count = stack_kernels(kernel, "KernelRidge")
        how = Iterations() if iterations is None else iterations
        self.rule = DualRule(check_penalties(penalties), solver, how)

    def fit(self, sample: Sample, *, key: Key[Array, ""]) -> KernelFit:
        """Fit on a sample; the last fifth of its rows chooses.

        The iterative solver draws its preconditioner from `key`; the others draw nothing.
        """
        self.rule.check_memory(sample)
        check_sample(sample)
        check_definite(self.kernels, sample.x)
        fitted = fit_checked(self, sample, key)
        check_solved(fitted.record, self.rule.iterations)
        return fitted

    def fit_arrays(self, sample: Sample, key: Key[Array, ""]) -> KernelFit:
        """`fit` without checks: pure, and so fit for `jit` and `vmap`."""
        split = split_rows(sample)
        kernel, coefficients, record = self.rule.fit(self.kernels, split, key)
        return KernelFit(
            kernel=kernel,
            points=split.train.x,
            coefficients=coefficients,
            record=record,
            flat=sample.y.ndim == 1,
        )
