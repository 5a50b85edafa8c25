"""What the rows of `hierarchy/implicit-order` say."""

from featlearn.studies.hierarchy._cells import RANDOM, times
from featlearn.studies.hierarchy.implicit_order import STUDY


def law(first: float = 100.0, second: float = 400.0):
    """Layers whose errors fall to nothing at these steps; a random layer's never does."""

    def values(p, luck):
        found = {}
        for t in times(vars(p)):
            for level, when in ((1, first), (2, second)):
                learned = t >= when * luck and not (p.mode == RANDOM and level == 1)
                found |= {f"error_{level}_{t}": 0.01 if learned else 1.0, f"null_{level}_{t}": 1.2}
        return found

    return values


def test_layers_in_order_hold(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    steps = [found[f"L = 2: step at which layer {n} has learned"].measured.value for n in (1, 2)]
    assert 90 < steps[0] < 200 < 350 < steps[1]


def test_the_second_layer_first_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(first=1000.0, second=100.0)))
    assert found["L = 2, part of the seeds that learn in order"].verdict == "fails"


def test_layers_that_never_learn_fail(invent, judged):
    found = judged(STUDY, invent(STUDY, law(second=float("inf"))))
    assert found["L = 2, part of the seeds that learn in order"].verdict == "fails"


def test_the_figure_is_drawn(invent):
    assert len(STUDY.figure(invent(STUDY, law())).axes) == 1
