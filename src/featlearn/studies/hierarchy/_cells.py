"""Grids, shapes and runs that the studies of trained dense networks share."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from featlearn.engine import Cell, Outcome

PER_CELL = ("gaps", "mode")  # what cells of one fleet may differ in
RANDOM = "random first layer"  # joint training of all others
SHOWN = 6  # rows and columns of the first layer's form that are kept: those of x_1 … x_6


def cell(
    mode: str,
    d: int,
    gaps: Sequence[float],
    *,
    target: str = "random",
    k: Sequence[int] = (),
    kappa: float = 1.0,
    neurons: int = 40,
    steps: int = 3000,
    batch: int = 250,
    rate: float = 0.01,
    first: float = 0.0,
    looks: int = 16,
    draws: int = 16384,
    chain: bool = False,
) -> dict[str, Any]:
    """A cell's parameters.

    mode     "joint", "staged", "layerwise", or RANDOM
    target   "correction", the toy, or "random": widths `k`, condition number `kappa`
    gaps     α_ℓ, layer by layer
    first    the fraction of the steps in which the first layer is trained alone; the others share
             the rest. 0 stands for equal stages
    looks    how many times between the start and the end the network is measured
    chain    target and learner: every layer reads the one below it and nothing else
    """
    return {
        "mode": mode,
        "d": int(d),
        "gaps": [float(a) for a in gaps],
        "target": target,
        "k": [int(width) for width in k],
        "kappa": float(kappa),
        "neurons": int(neurons),
        "steps": int(steps),
        "batch": int(batch),
        "rate": float(rate),
        "first": float(first),
        "looks": int(looks),
        "draws": int(draws),
        "chain": bool(chain),
    }


def unlock(parameters: Mapping[str, Any]) -> tuple[float, ...]:
    """The fractions of the steps at which the layers after the first join in."""
    layers = len(parameters["gaps"])
    first = parameters["first"] or 1 / layers
    rest = (1 - first) / max(layers - 1, 1)
    return tuple(first + rest * at for at in range(layers - 1))


def graph(parameters: Mapping[str, Any]) -> dict[int, tuple[int, ...]] | None:
    """The layers that each layer reads; None stands for all earlier ones."""
    if not parameters["chain"]:
        return None
    return {level: (level - 1,) for level in range(1, len(parameters["gaps"]) + 1)}


def stages(parameters: Mapping[str, Any]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """When each layer joins in and rests, as fractions of the steps: the mode as numbers."""
    layers, later = len(parameters["gaps"]), unlock(parameters)
    start, never = (0.0,) * layers, (2.0,) * layers
    return {
        "joint": (start, never),
        "staged": ((0.0, *later), never),
        "layerwise": ((0.0, *later), (*later, 2.0)),
        RANDOM: (start, (0.0, *never[1:])),
    }[parameters["mode"]]


def times(parameters: Mapping[str, Any]) -> tuple[int, ...]:
    """The steps at which the network is measured: at near equal ratios, and at every unlock."""
    steps, looks = parameters["steps"], parameters["looks"]
    spaced = {int(t) for t in np.rint(np.geomspace(min(5, steps), steps, looks))}
    joins = {round(f * steps) for f in unlock(parameters)}
    return tuple(sorted({0, steps} | spaced | joins))


def shape(parameters: Mapping[str, Any]) -> Hashable:
    """Cells that one program can compute."""
    kept = {name: value for name, value in parameters.items() if name not in PER_CELL}
    hashable = ((n, tuple(v) if isinstance(v, list) else v) for n, v in kept.items())
    return (len(parameters["gaps"]), *sorted(hashable))


def run(cells: Sequence[Cell]) -> list[Outcome]:
    """One fleet: JAX is loaded here, not when the studies are listed."""
    from featlearn.studies.hierarchy._experiment import measure_cells

    return measure_cells(cells)
