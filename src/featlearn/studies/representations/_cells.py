"""Grids, shapes and runs that the representations studies share."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from featlearn.engine import Cell, Outcome

KERNELS = ("NTK", "conjugate kernel", "RBF", "polynomial")
PER_CELL = ("n", "noise", "step", "form", "kappa")  # what cells of one fleet may differ in
SMALL = 1000  # samples: decompositions of fewer rows take less time than compiling for each n


def cell(
    learner: str,
    d: int,
    n: int,
    *,
    rows: int | None = None,
    width: int = 256,
    noise: float = 0.3,
    step: float = 1.0,
    form: str = "representation",
    p: int = 3,
    r: int = 1,
    kappa: float = 1.0,
    draws: int = 8192,
    head: bool = True,
    chance: bool = False,
) -> dict[str, Any]:
    """A cell's parameters. Samples are padded to `rows`, so that one program serves many n.

    Without `head` only the neurons are measured, which spares the head's ridge. With `chance` the
    same step is also taken on labels of random sign.
    """
    exact = learner in KERNELS
    return {
        "learner": learner,
        "d": int(d),
        "n": int(n),
        "rows": int(n if rows is None else rows),
        "width": 0 if exact else int(width),
        "noise": float(noise),
        "step": float(step),
        "form": form,
        "p": int(p),
        "r": int(r),
        "kappa": float(kappa),
        "draws": int(draws),
        "head": bool(head),
        "chance": bool(chance),
    }


def sample_sizes(unit: float, multiples: Iterable[float]) -> list[int]:
    """Sample sizes as multiples of a unit, such as d², at least 20 and each once."""
    return sorted({max(20, round(unit * m)) for m in multiples})


def kernel_rows(sizes: Iterable[int]) -> dict[int, int]:
    """How far the samples of an exact kernel are padded: one shape for all that are small."""
    sizes = list(sizes)
    small = max((n for n in sizes if n <= SMALL), default=0)
    return {n: max(n, small) for n in sizes}


def shape(parameters: Mapping[str, Any]) -> Hashable:
    """Cells that one program can compute: their teachers have one degree."""
    return tuple(sorted((k, v) for k, v in parameters.items() if k not in PER_CELL))


def run(cells: Sequence[Cell]) -> list[Outcome]:
    """One fleet: JAX is loaded here, not when the studies are listed."""
    from featlearn.studies.representations._experiment import measure_cells

    return measure_cells(cells)


def run_transfer(cells: Sequence[Cell]) -> list[Outcome]:
    """One fleet of `representations/transfer`."""
    from featlearn.studies.representations._transfer import measure_transfer

    return measure_transfer(cells)
