"""What the rows of `hierarchy/rich-representation` say."""

import pytest

from featlearn.studies.hierarchy.rich_representation import STUDY


def law(two: float = 0.2, many: float = 1e-8, first: float = 1e-9):
    """What layer 2 leaves on two neurons of a wrong basis, and on the others."""

    def values(p, luck):
        left = two if p.m == 2 and p.basis != "true" else many
        return {"layer_one": first * luck, "layer_two": left * luck, "kurtosis": 2.7 * luck}

    return values


def test_the_statement_holds_and_two_neurons_fail(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    assert len(found.verdicts("claim")) == 3
    assert len(found.verdicts("control")) == 2


def test_two_neurons_that_suffice_are_reported(invent, judged):
    found = judged(STUDY, invent(STUDY, law(two=1e-8)))
    assert len(found.unexpected) == 2


@pytest.mark.parametrize("worse", [{"many": 0.1}, {"first": 0.1}])
def test_layers_that_are_not_learned_fail(invent, judged, worse):
    found = judged(STUDY, invent(STUDY, law(**worse)))
    assert "fails" in found.verdicts("claim").values()


def test_the_figure_is_drawn(invent):
    assert len(STUDY.figure(invent(STUDY, law())).axes) == 2
