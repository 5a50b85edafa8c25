"""What the rows of `hierarchy/search` say: an equivalent of the truth is chosen, or not."""

import pytest

from featlearn.engine import make_plans
from featlearn.studies import STUDIES
from featlearn.studies.hierarchy.search import STUDY


def law(p, luck):
    """The truth and what contains it are learned at any α; the others stall."""
    whole = p.tried in ("01 02", "01 012")
    error = (3e-5 if whole else 2e-2) * (1 + 0.1 * abs(p.alpha - 1)) * luck
    return {"risk": error, "validation": error}


@pytest.mark.parametrize("tier", ["quick", "full"])
def test_the_law_of_the_notes_holds_and_its_control_fails(invent, judged, tier):
    found = judged(STUDY, invent(STUDY, law, tier))
    assert found.as_it_should_be
    assert len(found.verdicts("claim")) == 2
    assert len(found.verdicts("control")) == 1


def test_a_choice_of_poorer_graphs_fails(invent, judged):
    rows = invent(STUDY, law)
    rows.loc[rows["tried"] == "01 02", ["risk", "validation"]] = 0.5
    found = judged(STUDY, rows)
    assert set(found.verdicts("claim").values()) == {"fails"}


def test_a_training_that_diverged_is_not_chosen(invent, judged):
    rows = invent(STUDY, law)
    gone = (rows["tried"] == "1 02") & (rows["alpha"] == 1.0)
    rows.loc[gone, "validation"] = 0.0
    rows.loc[gone, "state"] = "diverged"
    assert judged(STUDY, rows).as_it_should_be


def test_a_graph_is_a_fleet_with_every_alpha():
    (plan,) = make_plans([STUDY], "quick")
    shapes = {STUDY.shape(cell.parameters) for cell in plan.cells.values()}
    assert len(shapes) == 3
    assert len(plan.cells) == 3 * 3 * 6


def test_the_figure_is_drawn_and_the_study_is_in_the_catalogue(invent):
    assert len(STUDY.figure(invent(STUDY, law)).axes) == 1
    assert STUDY in STUDIES
