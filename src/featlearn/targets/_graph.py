"""The connection graph of a dense network: which earlier layers each layer reads.

J_ℓ ⊆ {0, …, ℓ − 1}, where layer 0 is x. The paper asks for a skip: for ℓ ≥ 3

    ℓ − 1 ∈ J_ℓ,    ℓ − 2 ∉ J_ℓ,    and some j ≤ ℓ − 3 in J_ℓ.

Other graphs are allowed; `has_paper_skips` says which kind one is.
"""

from collections.abc import Iterable, Mapping

import numpy as np

from featlearn.errors import InvalidInputError

Graph = tuple[tuple[int, ...], ...]  # J_ℓ in ascending order, from the first layer with weights on


def every_earlier(first: int, last: int) -> Graph:
    """The slides' DenseNet: each layer reads all before it."""
    return tuple(tuple(range(level)) for level in range(first, last + 1))


def paper_default(first: int, last: int) -> Graph:
    """Every earlier layer but the last but one, so that the paper's conditions hold."""
    return tuple(
        tuple(j for j in range(level) if level < 3 or j != level - 2)
        for level in range(first, last + 1)
    )


def checked_graph(graph: Mapping[int, Iterable[int]], first: int, last: int) -> Graph:
    """J_ℓ for ℓ = first … last, each without repetition and in ascending order."""
    wanted = list(range(first, last + 1))
    if not isinstance(graph, Mapping) or sorted(graph) != wanted:
        got = sorted(graph) if isinstance(graph, Mapping) else graph
        raise InvalidInputError(
            f"graph must name the layers that each of the layers {wanted} reads, as in "
            f"{{{last}: {list(range(last))}}}; got {got}."
        )
    return tuple(_checked(level, graph[level]) for level in wanted)


def _checked(level: int, sources: Iterable[int]) -> tuple[int, ...]:
    sources = list(sources)
    whole = all(isinstance(j, int | np.integer) and not isinstance(j, bool) for j in sources)
    if not sources:
        raise InvalidInputError(
            f"graph gives layer {level} nothing to read, so no path leads to it from x. "
            f"Name layers from 0 (x) to {level - 1}."
        )
    if not whole or min(sources) < 0 or max(sources) >= level:
        raise InvalidInputError(
            f"graph lets layer {level} read {sources}, and it can read layers 0 (x) to "
            f"{level - 1} only. Remove the others."
        )
    return tuple(sorted({int(j) for j in sources}))


def has_paper_skips(graph: Graph, first: int) -> bool:
    """Whether every layer from the third on meets the paper's three conditions."""
    return all(
        level - 1 in sources and level - 2 not in sources and min(sources) <= level - 3
        for level, sources in enumerate(graph, first)
        if level >= 3
    )


def require_paper_skips(graph: Graph, first: int) -> None:
    """Refuse a graph that the paper's theorem does not cover."""
    for level, sources in enumerate(graph, first):
        if level >= 3 and not has_paper_skips((sources,), level):
            raise InvalidInputError(
                f"Layer {level} reads {list(sources)}; the paper needs {level - 1} in it, "
                f"{level - 2} not in it, and one of 0 … {level - 3}. Change the graph, or leave "
                "out paper_skips=True to allow any."
            )
