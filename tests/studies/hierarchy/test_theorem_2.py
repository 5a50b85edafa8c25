"""What the rows of `hierarchy/theorem-2` say."""

import pytest

from featlearn.studies.hierarchy._cells import RANDOM, times
from featlearn.studies.hierarchy.theorem_2 import STUDY


def law(power: float = 2.0, late: float = 0.5):
    """An error of layer 1 of 4 at first, then `late` α^power; none that is left at random."""

    def values(p, luck):
        found, alpha = {"variance": 8.0}, p.gaps[1]
        for t in times(vars(p)):
            early = t < 10
            random = early or p.mode == RANDOM
            found[f"distilled_{t}"] = (4.0 if random else late * alpha**power) * luck
            found[f"risk_{t}"] = 1.0 if early else alpha**2 / 8
        return found

    return values


def test_a_square_with_one_constant_holds(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    slope = found["slope of log(error of layer 1 at the unlock) in log α"].measured
    assert slope.value == pytest.approx(2.0, abs=0.1)
    constant = found["staged, α = 0.14: C = sup over time of error 1 / (α² + ε²)"].measured
    assert constant.value == pytest.approx(0.5, rel=0.1)


def test_an_error_of_the_first_power_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(power=1.0)))
    assert found["slope of log(error of layer 1 at the unlock) in log α"].verdict == "fails"


def test_a_large_constant_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(late=5.0)))
    bound = "joint, α = 0.14: C = sup over time of error 1 / (α² + ε²)"
    assert found[bound].verdict == "fails"


def test_the_figure_is_drawn(invent):
    assert len(STUDY.figure(invent(STUDY, law())).axes) == 2
