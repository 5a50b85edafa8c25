"""One small cell of the trained networks in each mode: the same start, and what is looked at."""

import pytest

from featlearn.engine import Cell
from featlearn.studies.hierarchy._cells import RANDOM, cell, shape, stages, times, unlock
from featlearn.studies.hierarchy._experiment import measure_cells

MODES = ("staged", "layerwise", "joint", RANDOM)
SMALL = {"target": "correction", "neurons": 6, "steps": 30, "batch": 20, "looks": 3, "draws": 100}


def cells(rate=0.01):
    made = [cell(mode, 5, (1.0, 0.3), **SMALL, rate=rate) for mode in MODES]
    return [Cell(study="s", version=1, parameters=p, repetition=0) for p in made]


@pytest.fixture(scope="module")
def outcomes():
    return dict(zip(MODES, measure_cells(cells()), strict=True))


def test_modes_are_one_program_and_differ_in_times():
    assert len({shape(c.parameters) for c in cells()}) == 1
    joins, rests = stages(cell("layerwise", 8, (1.0, 0.2, 0.1), k=(2, 1, 1)))
    assert joins == pytest.approx((0, 1 / 3, 2 / 3))
    assert rests == pytest.approx((1 / 3, 2 / 3, 2.0))
    assert unlock(cell("staged", 8, (1.0, 0.1), first=0.25)) == (0.25,)
    assert {0, 15, 30} <= set(times(cells()[0].parameters))


def test_every_look_is_there(outcomes):
    values = outcomes["staged"].values
    for t in times(cells()[0].parameters):
        assert {f"risk_{t}", f"foreign_{t}", f"error_1_{t}", f"null_2_{t}"} <= values.keys()
    assert values["form_end_0_0"] > 0
    assert "diverged" not in values


def test_staged_and_layerwise_are_one_training_until_the_second_layer_joins(outcomes):
    one, other = (outcomes[mode].values for mode in ("staged", "layerwise"))
    for name in ("risk_15", "error_1_15", "foreign_15", "form_before_0_1"):
        assert one[name] == pytest.approx(other[name], rel=1e-6)
    assert other["foreign_30"] == pytest.approx(other["foreign_15"], rel=1e-6)
    assert abs(one["foreign_30"] / one["foreign_15"] - 1) > 1e-3


def test_a_random_first_layer_stays_as_it_was(outcomes):
    values = outcomes[RANDOM].values
    assert values["error_1_30"] == pytest.approx(values["error_1_0"], rel=1e-6)
    assert values["risk_30"] < values["risk_0"]


def test_a_training_that_diverges_says_where():
    (outcome, *_) = measure_cells(cells(rate=1e6))
    assert outcome.state == "diverged"
    assert outcome.message.startswith("diverged at step ")
    assert "learning rate of 1e+06" in outcome.message
