"""Cells, shapes and runs of the networks of finite width."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from featlearn.engine import Cell, Outcome

PER_CELL = ("activation", "width", "distinct", "bias")  # what cells of one fleet may differ in


def cell(
    activation: str,
    depth: int,
    bias: float,
    width: int,
    *,
    neurons: int,
    networks: int,
    points: int,
    d: int,
    distinct: int | None = None,
) -> dict[str, Any]:
    """A cell's parameters. Layers are padded to `neurons`, so that one program serves many widths.

    `distinct` neurons of each layer are drawn and the others are copies; by default all are drawn.
    """
    return {
        "activation": activation,
        "depth": int(depth),
        "bias": float(bias),
        "width": int(width),
        "distinct": int(width if distinct is None else min(distinct, width)),
        "neurons": int(neurons),
        "networks": int(networks),
        "points": int(points),
        "d": int(d),
    }


def shape(parameters: Mapping[str, Any]) -> Hashable:
    """Cells that one program can compute."""
    return tuple(sorted((k, v) for k, v in parameters.items() if k not in PER_CELL))


def run(cells: Sequence[Cell]) -> list[Outcome]:
    """One fleet: JAX is loaded here, not when the studies are listed."""
    from featlearn.studies.kernels._networks import measure_cells

    return measure_cells(cells)
