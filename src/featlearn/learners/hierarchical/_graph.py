"""Connection graphs: which earlier levels each layer reads.

J_ℓ ⊆ {0, …, ℓ−1} for ℓ = 2, …, L. Written as a mapping {2: (0, 1), 3: (0, 2)}, kept as a tuple
of sorted tuples that starts with J_2.
"""

from collections.abc import Mapping, Sequence

from featlearn.errors import InvalidInputError

Graph = tuple[tuple[int, ...], ...]
FIRST = 2  # the lowest layer that is trained


def standard_graph(layers: int) -> Graph:
    """J_2 = {0, 1}, and J_ℓ = {0, ℓ−1}: the smallest graph that the paper's conditions allow."""
    return tuple((0, level - 1) for level in range(FIRST, FIRST + layers))


def as_graph(graph: Mapping[int, Sequence[int]] | Sequence[Sequence[int]], layers: int) -> Graph:
    """The graph in its one form, refused where a layer reads nothing, or what is not below it."""
    expected = range(FIRST, FIRST + layers)
    if isinstance(graph, Mapping):
        if sorted(graph) != list(expected):
            raise InvalidInputError(
                f"graph must name the layers {list(expected)}, one for each α, got {sorted(graph)}."
            )
        graph = [graph[level] for level in expected]
    if len(graph) != layers:
        raise InvalidInputError(
            f"graph must have one set of levels for each of {layers} values of α, got {len(graph)}."
        )
    rows = tuple(tuple(sorted({int(j) for j in row})) for row in graph)
    for level, row in zip(expected, rows, strict=True):
        _check_row(level, row)
    _check_used(rows)
    return rows


def meets_skip_conditions(graph: Graph) -> bool:
    """Whether ℓ−1 ∈ J_ℓ, ℓ−2 ∉ J_ℓ and some j ≤ ℓ−3 is in J_ℓ, for every ℓ ≥ 3."""
    return all(
        level - 1 in row and level - 2 not in row and row[0] <= level - 3
        for level, row in enumerate(graph, FIRST)
        if level > FIRST
    )


def _check_row(level: int, row: tuple[int, ...]) -> None:
    if not row:
        raise InvalidInputError(f"Layer {level} reads nothing: give J_{level} a level below it.")
    if row[0] < 0 or row[-1] >= level:
        raise InvalidInputError(
            f"Layer {level} may read levels 0…{level - 1}, got {list(row)}: "
            "remove what does not lie below it."
        )


def _check_used(graph: Graph) -> None:
    """A layer ℓ ≥ 3 that reads only the inputs has the depth of layer 2."""
    for level, row in enumerate(graph, FIRST):
        if level > FIRST and row[-1] < FIRST:
            raise InvalidInputError(
                f"Layer {level} reads {list(row)} and no trained layer: there is no path through "
                f"the layers below. Add one of {list(range(FIRST, level))} to J_{level}."
            )
