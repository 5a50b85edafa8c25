"""Cells, shapes and runs of the equivalences of ridge."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from featlearn.engine import Cell, Outcome

COMPARED = ("inputs", "features", "tangent", "solvers", "path")


def cell(
    compared: str, *, n: int, d: int, width: int, penalty: float, draws: int
) -> dict[str, Any]:
    """A cell's parameters: one of `COMPARED` on one sample, at one λ."""
    return {
        "compared": compared,
        "n": int(n),
        "d": int(d),
        "width": int(width),
        "penalty": float(penalty),
        "draws": int(draws),
    }


def shape(parameters: Mapping[str, Any]) -> Hashable:
    """Cells that one program can compute: they differ in their seeds alone."""
    return tuple(sorted(parameters.items()))


def run(cells: Sequence[Cell]) -> list[Outcome]:
    """One fleet: JAX is loaded here, not when the studies are listed."""
    from featlearn.studies.kernels._equivalences import measure_cells

    return measure_cells(cells)
