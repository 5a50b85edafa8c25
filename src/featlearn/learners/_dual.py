"""Ridge on a Gram matrix: which solver, how much memory, and the best of several kernels.

exact        one decomposition for every λ (`ridge_dual`)
cholesky     one for each λ of a search (`ridge_cholesky`)
iterative    conjugate gradients without a Gram matrix (`ridge_iterative`)
"""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from featlearn.errors import InvalidInputError
from featlearn.kernels import Kernel
from featlearn.kernels._tiles import tile_rows
from featlearn.kernels.ridge import PENALTIES, RidgePath, least, ridge_dual
from featlearn.kernels.ridge_cholesky import ridge_cholesky
from featlearn.kernels.ridge_iterative import Iterations, ridge_iterative
from featlearn.learners._protocol import VALIDATION_FRACTION
from featlearn.learners._split import Split
from featlearn.memory import check_memory, device_bytes
from featlearn.precision import double_precision
from featlearn.samples import Sample

Solver = Literal["exact", "cholesky", "iterative"]
SOLVERS: tuple[Solver, ...] = ("exact", "cholesky", "iterative")
EXACT_ROWS = 10_000  # samples up to which one decomposition takes seconds
LOOKED_AT, NEGATIVE = 200, 1e-6  # points, and part of the largest eigenvalue that is no rounding
CHOLESKY_ROWS = 50_000  # and up to which a GPU factors a matrix in seconds


class DualRule(eqx.Module):
    """How coefficients are found on a Gram matrix.

    penalties     the candidates for λ
    solver        one of `SOLVERS`, or "auto": by the number of samples and the memory there is
    iterations    how the iterative solver works
    """

    penalties: tuple[float, ...] = eqx.field(static=True, default=PENALTIES)
    solver: Solver | Literal["auto"] = eqx.field(static=True, default="auto")
    iterations: Iterations = Iterations()

    def __check_init__(self) -> None:
        if self.solver not in (*SOLVERS, "auto"):
            raise InvalidInputError(
                f"solver must be 'auto' or one of {', '.join(map(repr, SOLVERS))}, "
                f"got {self.solver!r}."
            )

    def solver_for(self, n: int) -> Solver:
        """What solves n samples."""
        if self.solver != "auto":
            return self.solver
        fits = gram_bytes(n) <= device_bytes()
        if fits and n <= EXACT_ROWS:
            return "exact"
        on_gpu = jax.default_backend() != "cpu"
        return "cholesky" if fits and on_gpu and n <= CHOLESKY_ROWS else "iterative"

    def check_memory(self, sample: Sample, remedy: str | None = None) -> None:
        """Refuse a sample that the solver cannot hold; shapes that are none are left to others.

        `remedy` is for learners that leave no choice of a solver.
        """
        if getattr(sample.x, "ndim", 0) != 2:
            return
        n = sample.x.shape[0]
        if self.solver_for(n) == "iterative":
            wanted = iterative_bytes(n, sample.y.size // max(n, 1), self.iterations)
            ours = "Take fewer samples, a smaller rank or group of its Iterations, or"
        else:
            wanted, ours = gram_bytes(n), "Take fewer samples, solver='iterative', or"
        check_memory(
            wanted,
            f"{self.solver_for(n).capitalize()} kernel ridge on {n} samples",
            remedy or f"{ours} RandomFeatures, whose memory grows with their width alone.",
        )

    def fit(
        self, kernels: Kernel, split: Split, key: Key[Array, ""]
    ) -> tuple[Kernel, Float[Array, "n k"], dict[str, Any]]:
        """The best of the stacked kernels, each at its best λ; its coefficients; the record."""
        n = split.train.x.shape[0] + split.validate.x.shape[0]
        solver = self.solver_for(n)

        def attempt(kernel: Kernel) -> tuple[Array, dict[str, Any]]:
            path = self._path(solver, kernel, split, key)
            return path.coefficients, path.record()

        # A kernel need not have a number: then there is nothing to stack, and one candidate.
        count = next((len(leaf) for leaf in jax.tree.leaves(kernels)), 1)
        tried = jax.lax.scan(lambda _, k: (None, attempt(k)), None, kernels, length=count)[1]
        errors = jnp.nanmin(tried[1]["validation"], axis=1)
        chosen = least(errors)
        kernel, (coefficients, record) = jax.tree.map(lambda leaf: leaf[chosen], (kernels, tried))
        own = {
            "candidate": chosen,
            "candidate_errors": errors,
            "solver": jnp.asarray(SOLVERS.index(solver)),
        }
        return kernel, coefficients, record | own

    def _path(self, solver: Solver, kernel: Kernel, split: Split, key: Key[Array, ""]) -> RidgePath:
        train, validate = split
        rows = (train.weight, validate.weight)
        if solver == "iterative":
            points = (train.x, train.y, validate.x, validate.y)
            return ridge_iterative(kernel, *points, self.penalties, key, *rows, self.iterations)
        grams = (kernel(train.x), train.y, kernel(validate.x, train.x), validate.y)
        solve = ridge_cholesky if solver == "cholesky" else ridge_dual
        return solve(*grams, self.penalties, *rows)


def check_solved(record: dict[str, Any], iterations: Iterations) -> None:
    """Refuse a fit in which no λ was solved."""
    if bool(jnp.any(jnp.isfinite(record["validation"]))):
        return
    if "residuals" not in record:
        raise InvalidInputError(
            "No λ has a finite validation error: the kernel's matrix is not positive definite or "
            "not finite on these points. Scale the inputs, or give larger penalties."
        )
    raise InvalidInputError(
        f"No λ reached a relative residual of {iterations.tolerance:g} within {iterations.steps} "
        f"passes (the best has {float(jnp.nanmin(record['residuals'])):.2g}). Raise steps or rank "
        "of Iterations, or give larger penalties."
    )


def check_definite(kernels: Kernel, x: Float[Array, "n d"]) -> None:
    """Refuse a kernel from elsewhere whose matrix on some of the points has negative eigenvalues.

    Ridge has no minimum then. The kernels of this library are positive semi-definite.
    """
    if type(kernels).__module__.startswith("featlearn."):
        return
    for i in range(next((len(leaf) for leaf in jax.tree.leaves(kernels)), 1)):
        one: Kernel = jax.tree.map(lambda leaf, i=i: leaf[i], kernels)
        gram = np.asarray(one(jnp.asarray(x[:LOOKED_AT])), dtype="float64")
        values = np.linalg.eigvalsh(gram)
        if not values[0] >= -NEGATIVE * np.abs(values).max():
            raise InvalidInputError(
                f"{type(kernels).__name__} is not positive semi-definite: on "
                f"{len(values)} of the points an eigenvalue of its matrix is "
                f"{values[0] / np.abs(values).max():.2g} of the largest. Give a kernel that is; "
                "featlearn.testing.check_kernel finds where it goes wrong."
            )


def gram_bytes(n: int) -> int:
    """What ridge on the Gram matrix of n samples holds: about four matrices in float64."""
    train = n - int(n * VALIDATION_FRACTION)
    return 4 * 8 * train**2


def iterative_bytes(n: int, outputs: int, iterations: Iterations) -> int:
    """What the iterative solver holds: its preconditioner, twelve sets of columns, four tiles."""
    train = n - int(n * VALIDATION_FRACTION)
    columns = 12 * outputs * iterations.group + 3 * iterations.columns(train)
    return 8 * (train * columns + 4 * tile_rows(train) ** 2)


@double_precision
def stack_kernels(kernel: Kernel | Sequence[Kernel], owner: str) -> tuple[Kernel, int]:
    """Kernels of one form, stacked, and how many they are."""
    several = isinstance(kernel, Iterable) and not isinstance(kernel, type | str)
    candidates: list[Any] = list(kernel) if several else [kernel]  # type: ignore[arg-type]
    if not candidates or not all(isinstance(each, Kernel) for each in candidates):
        raise InvalidInputError(
            f"{owner} takes a kernel or a sequence of kernels, got {candidates!r}."
        )
    arrays = [jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float64), k) for k in candidates]
    if len({str(jax.tree.structure(k)) for k in arrays}) > 1:
        raise InvalidInputError(
            f"The candidates of one {owner} may differ in their floating numbers only (one "
            f"program is compiled for all): give other kernels a {owner} of their own."
        )
    return jax.tree.map(lambda *leaf: jnp.stack(leaf), *arrays), len(candidates)
