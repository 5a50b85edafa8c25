"""How fast kernel ridge is solved: for every λ, for many samples, and beside scikit-learn.

    python benchmarks/kernels_ridge.py [--gpu] [--rows N] [--repetitions 3] [--out FILE]

1. Ridge with 100 λ and validation, over an eigendecomposition, and over the decomposition that it
   takes itself (on a CPU a reduction to a tridiagonal matrix, which is less).
2. Where a Gram matrix fits: the exact solver, the iterative one, on a GPU the search by Cholesky,
   and scikit-learn's KernelRidge, which is given the λ that ours chose. In turns; ratios are
   taken repetition by repetition.
3. The iterative solver where it does not fit well: 20 000 training rows, or with --gpu 200 000,
   in d = 20, to a relative residual of 1e-4 measured in float64. Its memory is what the process
   (or the device) took beyond the data.

Times are warm; the first call, which compiles, is reported apart.
"""

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from machine import circumstances
from rich.console import Console
from rich.table import Table
from timing import Times, in_turns

from featlearn.kernels import (
    PENALTIES,
    RBF,
    Iterations,
    ridge_cholesky,
    ridge_dual,
    ridge_iterative,
)
from featlearn.kernels._shifted import shifted
from featlearn.precision import double_precision

DIM, BANDWIDTH, NOISE = 20, 1.0, 0.3
SMALL = {False: 2000, True: 8000}  # rows where everything fits, on a CPU and on a GPU
LARGE = {False: 20_000, True: 200_000}
GRID = tuple(float(v) for v in np.logspace(-6, 2, 17))
RIDGE, DECOMPOSITION = f"ridge, {len(PENALTIES)} λ", "its decomposition"
EIGH = "eigendecomposition"
EXACT, ITERATIVE, CHOLESKY, SKLEARN = "exact", "iterative", "Cholesky", "scikit-learn"
WIDTH = 100  # columns of the tables


class Problem(NamedTuple):
    """Training rows and validation rows, a fourth as many: He2 of one input and a linear part."""

    x: Any
    y: Any
    x_validation: Any
    y_validation: Any


def problem(n: int) -> Problem:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n + n // 4, DIM), np.float32)
    y = (x[:, :1].astype(np.float64) ** 2 - 1) / 2 + x[:, 1:2]
    y += NOISE * rng.standard_normal(y.shape)
    with jax.enable_x64(True):
        return Problem(*(jnp.asarray(part) for part in (x[:n], y[:n], x[n:], y[n:])))


KERNEL = RBF(BANDWIDTH)


@double_precision
@jax.jit
def exact(given: Problem) -> Any:
    return ridge_dual(*_grams(given), GRID)


@double_precision
@jax.jit
def cholesky(given: Problem) -> Any:
    return ridge_cholesky(*_grams(given), GRID)


@double_precision
@jax.jit
def iterative(given: Problem) -> Any:
    return ridge_iterative(KERNEL, *given, GRID, jax.random.key(0), iterations=Iterations())


def _grams(given: Problem) -> tuple[Any, Any, Any, Any]:
    x, y, x_v, y_v = given
    return KERNEL(x), y, KERNEL(x_v, x), y_v


def penalties_rivals(n: int) -> dict[str, Callable[[], Any]]:
    """On Gram matrices that are there beforehand."""
    grams = double_precision(jax.jit(_grams))(problem(n))
    ridge = double_precision(jax.jit(ridge_dual, static_argnums=4))
    decompose = double_precision(jax.jit(shifted))
    eigh = double_precision(jax.jit(jnp.linalg.eigh))
    return {
        RIDGE: lambda: ridge(*grams, PENALTIES),
        DECOMPOSITION: lambda: decompose(grams[0]),
        EIGH: lambda: eigh(grams[0]),
    }


def solver_rivals(n: int, gpu: bool) -> dict[str, Callable[[], Any]]:
    given = problem(n)
    rivals = {EXACT: lambda: exact(given), ITERATIVE: lambda: iterative(given)}
    if gpu:
        rivals[CHOLESKY] = lambda: cholesky(given)
    if find_spec("sklearn"):
        rivals[SKLEARN] = _scikit_learn(given, float(exact(given).penalty))
    return rivals


def _scikit_learn(given: Problem, penalty: float) -> Callable[[], Any]:
    """One λ and no validation: what it does in one fit."""
    from sklearn.kernel_ridge import KernelRidge

    x, y = np.asarray(given.x, np.float64), np.asarray(given.y)
    gamma = 1 / (2 * BANDWIDTH**2 * DIM)
    rival = KernelRidge(alpha=penalty * len(x), kernel="rbf", gamma=gamma)
    return lambda: rival.fit(x, y).dual_coef_


def agreement(n: int) -> float:
    """How far the iterative coefficients are from the exact ones, at the same λ."""
    given = problem(n)
    ours, whole = iterative(given), exact(given)
    if float(ours.penalty) != float(whole.penalty):
        return float("nan")
    off = np.linalg.norm(ours.coefficients - whole.coefficients)
    return float(off / np.linalg.norm(whole.coefficients))


def large(n: int) -> dict[str, Any]:
    """One fit by a compiled program, what it needed, and its memory beyond data and program."""
    given = problem(n)
    with jax.enable_x64(True):
        program = jax.jit(lambda g: ridge_iterative(KERNEL, *g, GRID, jax.random.key(0)))
        run = program.lower(given).compile()
    before, start = _bytes_in_use(), time.perf_counter()
    path = jax.block_until_ready(run(given))
    taken = time.perf_counter() - start
    extra = _bytes_in_use() - before
    details = {name: np.asarray(value).tolist() for name, value in path.details.items()}
    return {
        "rows": n,
        "seconds": taken,
        "extra_gigabytes": extra / 1e9,
        "penalties_solved": int(np.isfinite(path.validation).sum()),
        "penalty": float(path.penalty),
        "validation_error": float(np.nanmin(path.validation)),
        "effective_dimension": float(path.effective_dimension),
        "grid_edge": int(path.grid_edge),
    } | details


def _bytes_in_use() -> int:
    """The most so far: of the device, or of the process."""
    stats = jax.local_devices()[0].memory_stats()
    if stats and "peak_bytes_in_use" in stats:
        return int(stats["peak_bytes_in_use"])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(gpu: bool, rows: int, repetitions: int) -> dict[str, Any]:
    """Everything that is printed or written, as plain numbers; memory first, while it is fresh."""
    many = large(rows)
    small = SMALL[gpu]
    grid = in_turns(penalties_rivals(small), repetitions)
    solvers = in_turns(solver_rivals(small, gpu), repetitions)
    return {
        "large": many,
        "rows": small,
        "seconds": {name: _plain(times) for name, times in (grid | solvers).items()},
        "ratios": {
            f"{RIDGE} / {b}": grid[RIDGE].over(grid[b])._asdict() for b in (EIGH, DECOMPOSITION)
        }
        | {
            f"{name} / {ITERATIVE}": solvers[name].over(solvers[ITERATIVE])._asdict()
            for name in solvers
            if name != ITERATIVE
        },
        "iterative_off_exact": agreement(small),
    }


def _plain(times: Times) -> dict[str, float]:
    return times.spread._asdict() | {"compilation": times.compilation}


def show(console: Console, found: dict[str, Any]) -> None:
    many = found["large"]
    console.print(
        f"{found['device']}\n\nIterative, {many['rows']} rows, d = {DIM}, "
        f"{many['penalties_solved']} of {len(GRID)} λ solved: {many['seconds']:.1f} s "
        f"({many['passes']} passes over the Gram matrix, {many['passes_in_single']} of them in "
        f"float32), {many['extra_gigabytes']:.2f} GB; relative residual {many['residual']:.1e} at "
        f"the chosen λ = {many['penalty']:.1e}.\n\nWith {found['rows']} rows "
        f"(iterative coefficients off the exact ones by {found['iterative_off_exact']:.1e}):"
    )
    table = Table("", "median", "least … most", "compiling", box=None, pad_edge=False)
    for name, t in found["seconds"].items():
        ends = f"{t['least']:.3g} s … {t['most']:.3g} s"
        table.add_row(name, f"{t['median']:.3g} s", ends, f"{t['compilation']:.3g} s")
    console.print(table)
    ratios = Table("\nratio", "\nmedian", "\nleast … most", box=None, pad_edge=False)
    for name, r in found["ratios"].items():
        ratios.add_row(name, f"{r['median']:.2f}", f"{r['least']:.2f} … {r['most']:.2f}")
    console.print(ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gpu", action="store_true", help="the sizes for a GPU")
    parser.add_argument("--rows", type=int, help="training rows of the large problem")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--out", type=Path, help="also write the numbers to this file, as JSON")
    given = parser.parse_args()
    if given.gpu and jax.default_backend() == "cpu":
        sys.exit("--gpu needs a GPU that JAX sees; here it sees a CPU.")
    rows = LARGE[given.gpu] if given.rows is None else given.rows
    found = circumstances("kernels_ridge.py", sklearn="scikit-learn") | measure(
        given.gpu, rows, given.repetitions
    )
    show(Console(width=WIDTH), found)
    if given.out:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    if found["large"]["residual"] > Iterations().tolerance:
        sys.exit("The large problem was not solved to its tolerance: its time says nothing.")


if __name__ == "__main__":
    main()
