"""Under half of the line, above it, and the control, from invented errors."""

import pytest

from featlearn.studies.beyond.resnet_learns import STUDY

LINE = {"slides": 0.72, "later": 1.35}


def law(network=0.3, rival=1.4, away=1.8):
    """Errors over kα²; of the settings those with the larger weight decay are better."""

    def values(p, luck):
        share = rival if p.learner != "ResNet" else away if p.apart else network
        risk = share * LINE[p.target] * luck * (1 + (p.decay < 5e-4))
        return {"risk": risk, "validation": risk, "grid_edge": 0.0}

    return values


def test_what_the_documents_say_holds(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    assert found["slides: ResNet, error over kα²"].measured.value == pytest.approx(0.3, rel=0.1)


@pytest.mark.parametrize(
    ("wrong", "label"),
    [
        ({"network": 0.7}, "slides: ResNet, error over kα²"),
        ({"rival": 0.8}, "later: two-layer"),
        ({"away": 0.3}, "slides: ResNet, G on products that are not F's"),
    ],
)
def test_what_is_otherwise_is_found(wrong, label, invent, judged):
    assert label in judged(STUDY, invent(STUDY, law(**wrong))).unexpected


def test_every_learner_of_a_version_has_as_many_settings():
    cells = STUDY.grid(STUDY.settings["quick"])
    counts = {}
    for cell in cells:
        if cell["rate"] > 0:
            place = cell["target"], cell["learner"], cell["width"], cell["apart"]
            counts[place] = counts.get(place, 0) + 1
    for version in ("slides", "later"):
        assert len({n for place, n in counts.items() if place[0] == version}) == 1


def test_the_figure_is_drawn(invent):
    assert STUDY.figure(invent(STUDY, law())) is not None
