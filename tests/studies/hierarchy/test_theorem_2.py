"""What the rows of `hierarchy/theorem-2` say."""

import pytest

from featlearn.studies.hierarchy._cells import RANDOM, times
from featlearn.studies.hierarchy.theorem_2 import STUDY


def law(power: float = 2.0):
    """An error of layer 1 of 4 at first, then 3 α^power; none that is left at random."""

    def values(p, luck):
        found, alpha = {"variance": 8.0}, p.gaps[1]
        for t in times(vars(p)):
            early = t < 10
            found[f"error_1_{t}"] = (4.0 if early or p.mode == RANDOM else 3 * alpha**power) * luck
            found[f"risk_{t}"] = 1.0 if early else alpha**2 / 8
        return found

    return values


def test_a_square_with_one_constant_holds(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    slope = found["slope of log(error of layer 1 at the unlock) in log α"].measured
    assert slope.value == pytest.approx(2.0, abs=0.1)
    assert found["staged, α = 0.1: C"].measured.value == pytest.approx(1.5, rel=0.1)


def test_an_error_of_the_first_power_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(power=1.0)))
    assert found["slope of log(error of layer 1 at the unlock) in log α"].verdict == "fails"
    assert (
        found["staged: slope of log C in log 1/α, C = sup error 1 / (α² + ε²)"].verdict == "fails"
    )


def test_the_figure_is_drawn(invent):
    assert len(STUDY.figure(invent(STUDY, law())).axes) == 2
