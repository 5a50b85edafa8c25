"""One constant for every α, from invented errors."""

import pytest

from featlearn.studies.beyond.alpha_squared import STUDY


def law(constant=1.5, own=0.05, kernel=2.0, away=0.9):
    def values(p, luck):
        line, fourth = 15 * p.alpha**2, 15 * p.alpha**4
        if p.learner != "ResNet":
            risk = kernel * line
        elif p.apart:
            risk = away * line + own
        else:
            risk = constant * (fourth + own) if p.alpha else own
        return {"risk": risk * luck, "validation": risk, "grid_edge": 0.0}

    return values


def test_what_the_documents_say_holds(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    label = "ResNet: C in error ≤ C (kα⁴ + error at α = 0), all α"
    assert found[label].measured.value == pytest.approx(1.5, rel=0.15)


@pytest.mark.parametrize(
    ("wrong", "count"), [({"constant": 4.0}, 1), ({"kernel": 0.3}, 2), ({"away": 0.05}, 1)]
)
def test_what_is_otherwise_is_found(wrong, count, invent, judged):
    assert len(judged(STUDY, invent(STUDY, law(**wrong))).unexpected) == count


def test_the_figure_is_drawn(invent):
    assert STUDY.figure(invent(STUDY, law())) is not None
