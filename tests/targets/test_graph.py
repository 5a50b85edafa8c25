"""Connection graphs: the two defaults, and the paper's conditions on skips."""

import jax
import pytest

from featlearn.errors import InvalidInputError
from featlearn.targets import dense
from featlearn.targets._graph import every_earlier, has_paper_skips, paper_default

KEY = jax.random.key(0)


def test_defaults_of_both_documents() -> None:
    assert every_earlier(1, 3) == ((0,), (0, 1), (0, 1, 2))
    assert paper_default(2, 4) == ((0, 1), (0, 2), (0, 1, 3))
    assert has_paper_skips(paper_default(2, 6), 2)
    assert not has_paper_skips(every_earlier(1, 3), 1)


@pytest.mark.parametrize(
    ("third", "meets"),
    [([0, 2], True), ([2], False), ([0, 1, 2], False), ([1, 2], False), ([0, 1], False)],
)
def test_the_papers_conditions(third: list[int], meets: bool) -> None:
    graph = {2: [0, 1], 3: third}
    form = {"dim": 5, "widths": (2, 1), "gaps": (1.0, 0.1), "first_layer": "fixed", "key": KEY}
    assert dense(**form, graph=graph).paper_skips is meets
    if meets:
        dense(**form, graph=graph, paper_skips=True)
    else:
        with pytest.raises(InvalidInputError, match=r"Layer 3 reads .* the paper needs 2 in it"):
            dense(**form, graph=graph, paper_skips=True)


def test_repetitions_and_order_do_not_matter() -> None:
    target = dense(5, (2, 1), (1.0, 0.1), graph={1: [0], 2: [1, 0, 1]}, key=KEY)
    assert target.graph == ((0,), (0, 1))
