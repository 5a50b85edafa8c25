"""What the rows of `hierarchy/information-gap` say, and how a cell's looks become a row."""

import pytest

from featlearn.engine import Cell, Outcome
from featlearn.studies.hierarchy import _cells
from featlearn.studies.hierarchy.information_gap import STUDY, _summary


def law(stall: float = 1.0):
    """Late factors of 24α/7 up to `stall`, and trainings that know no gap."""

    def values(p, luck):
        if p.mode == "rounds":
            return {"late_factor": min(24 / 7 * p.alpha, stall) * luck}
        layers = {f"error_{at}": 0.01 * luck for at in range(1, len(p.gaps) + 1)}
        learned = {f"learned_{at}": 100.0 * at for at in range(1, len(p.gaps) + 1)}
        ends = {"risk": 1e-3, "foreign_join": 0.1, "foreign_end": 0.01 * luck, "in_order": 1.0}
        return {**layers, **learned, **ends, "last": 0.01 * luck}

    return values


def test_the_rounds_are_judged_and_all_else_is_measured(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    assert len(found.verdicts("claim")) == len(found.verdicts("control")) == 1
    assert len(found.verdicts("measurement")) == (4 + 2) * (2 + 3)


def test_rounds_that_go_on_contracting_fail(invent, judged):
    found = judged(STUDY, invent(STUDY, law(stall=0.5)))
    assert set(found.verdicts("claim").values()) == {"fails"}


def test_the_map_has_every_ratio_mode_and_depth(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    last = found["L = 2, joint, ratio 3: error of the last layer / its null level"]
    assert last.measured.value == pytest.approx(0.01, rel=0.1)
    correction = found["L = 3, staged, ratio 0.1: foreign energy of layer 1, end / unlock"]
    assert correction.measured.value == pytest.approx(0.1, rel=0.1)
    order = found["L = 2, staged, ratio 0.03: part of the runs that learn their layers in order"]
    assert (order.measured.value, order.measured.low) == (1.0, 1.0)


def test_diverged_runs_are_flagged(invent, judged):
    rows = invent(STUDY, law())
    lost = (rows["mode"] == "joint") & (rows["repetition"] == 0)
    rows.loc[lost, "state"] = "diverged"
    found = judged(STUDY, rows)
    finding = found["L = 2, joint, ratio 3: error of the last layer / its null level"]
    assert finding.flags == ("diverged",)
    assert finding.measured.seeds == STUDY.seeds["quick"] - 1


def test_the_figure_is_drawn(invent):
    assert len(STUDY.figure(invent(STUDY, law())).axes) == 3


@pytest.mark.parametrize("first", ["layer 1", "layer 2"])
def test_a_row_has_the_order_and_the_correction(first):
    """Layers that fall under a quarter of their null level one look after another."""
    parameters = _cells.cell("staged", 8, (1.0, 0.3), k=(2, 1), steps=100, looks=4)
    at = _cells.times(parameters)
    begins = {1: 1, 2: 2} if first == "layer 1" else {1: 3, 2: 2}
    values = {"form_end_0_0": 1.0}
    for place, t in enumerate(at):
        values |= {f"risk_{t}": 1.0 / (1 + t), f"foreign_{t}": 1.0 / (1 + t)}
        for level in (1, 2):
            values[f"error_{level}_{t}"] = 0.1 if place >= begins[level] else 0.9
            values[f"null_{level}_{t}"] = 2.0 if place >= begins[level] else 1.0
    row = _summary(Cell(study="s", version=1, parameters=parameters, repetition=0),
                   Outcome(values=values)).values  # fmt: skip
    assert row["in_order"] == (first == "layer 1")
    assert row["learned_2"] == at[2]
    assert row["last"] == pytest.approx(0.05)
    assert row["foreign_end"] / row["foreign_join"] == pytest.approx(51 / 101)


def test_cells_of_one_depth_are_one_program():
    cells = STUDY.grid(STUDY.settings["quick"])
    shapes = {STUDY.shape(c) for c in cells}
    assert len(shapes) == 3
