"""Graphs have one form; what reads nothing, or what is not below it, is refused."""

import pytest

from featlearn.errors import InvalidInputError
from featlearn.learners.hierarchical import meets_skip_conditions
from featlearn.learners.hierarchical._graph import as_graph, standard_graph


def test_every_spelling_gives_the_same_graph():
    wanted = ((0, 1), (0, 2))
    assert as_graph({3: [2, 0], 2: (1, 0, 1)}, 2) == wanted
    assert as_graph([(0, 1), {2, 0}], 2) == wanted
    assert standard_graph(2) == wanted


def test_the_papers_conditions_hold_for_the_standard_graph_and_not_for_others():
    assert all(meets_skip_conditions(standard_graph(layers)) for layers in (1, 2, 3, 4))
    assert meets_skip_conditions(((1,), (0, 2)))
    for graph in (((0, 1), (0, 1, 2)), ((0, 1), (2,)), ((0, 1), (0, 2), (2, 3))):
        assert not meets_skip_conditions(graph)


@pytest.mark.parametrize(
    ("graph", "layers", "said"),
    [
        ({2: (0, 2)}, 1, "does not lie below"),
        ({2: (0,), 3: (0, 3)}, 2, "does not lie below"),
        ({2: (-1, 0)}, 1, "does not lie below"),
        ({2: ()}, 1, "reads nothing"),
        ({2: (0, 1), 3: (0, 1)}, 2, "no path"),
        ({2: (0, 1)}, 2, "one for each α"),
        ([(0, 1)], 2, "got 1"),
    ],
)
def test_a_graph_without_a_path_is_refused(graph, layers, said):
    with pytest.raises(InvalidInputError, match=said):
        as_graph(graph, layers)
