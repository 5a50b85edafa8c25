"""Grids, shapes and runs that the studies of residual networks share."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from featlearn.engine import Cell, Outcome

SOURCE = "Over-parameterized networks beyond kernels (slides)"
KERNELS = ("NTK", "residual NTK", "conjugate kernel", "RBF", "polynomial")
OUTPUTS = {"slides": 8, "later": 15, "power": 1}
PER_CELL = ("rate", "decay", "alpha", "beta", "n", "apart")  # what cells of one fleet may differ in


def cell(
    learner: str,
    target: str,
    n: int,
    *,
    width: int = 200,
    rate: float = 0.0,
    decay: float = 0.0,
    epochs: int = 400,
    alpha: float = 0.3,
    beta: float = 1.0,
    apart: bool = False,
    d: int = 30,
    p: int = 0,
    rows: int | None = None,
    start: str | None = None,
    batch: int = 50,
    draws: int = 4096,
    watched: int = 0,
) -> dict[str, Any]:
    """A cell's parameters: one fit, of one setting of the search.

    n        training rows; a quarter as many again choose the setting
    apart    G acts on products that are not those of F, so that F is of no use to it
    rows     samples are padded to so many training rows, so that one program serves many n
    watched  at how many epochs the first layer is looked at
    """
    exact = learner in KERNELS
    return {
        "learner": learner,
        "target": target,
        "n": int(n),
        "rows": int(n if rows is None else rows),
        "width": 0 if exact else int(width),
        "rate": 0.0 if exact else float(rate),
        "decay": 0.0 if exact else float(decay),
        "epochs": 0 if exact else int(epochs),
        "batch": 0 if exact else int(batch),
        "start": "" if exact else str(start or {"slides": "slides"}.get(target, "later")),
        "alpha": float(alpha),
        "beta": float(beta),
        "apart": bool(apart),
        "d": int(d),
        "p": int(p),
        "draws": int(draws),
        "watched": int(watched),
    }


def search(
    learner: str,
    target: str,
    n: int,
    rates: Iterable[float],
    decays: Iterable[float],
    **options: Any,
) -> list[dict[str, Any]]:
    """One cell for each setting of learning rate and weight decay; a kernel searches by itself."""
    if learner in KERNELS:
        return [cell(learner, target, n, **options)]
    return [
        cell(learner, target, n, rate=rate, decay=decay, **options)
        for rate in rates
        for decay in decays
    ]


def shape(parameters: Mapping[str, Any]) -> Hashable:
    """Cells that one program can compute."""
    return tuple(sorted((k, v) for k, v in parameters.items() if k not in PER_CELL))


def run(cells: Sequence[Cell]) -> list[Outcome]:
    """One fleet: JAX is loaded here, not when the studies are listed."""
    from featlearn.studies.beyond._experiment import measure_cells

    return measure_cells(cells)
