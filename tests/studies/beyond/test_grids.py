"""What four of the studies declare of themselves, and the grids of their tiers."""

import json
from collections import defaultdict

import pytest

from featlearn.engine import TIERS, make_plans
from featlearn.studies import STUDIES
from featlearn.studies.beyond import gated_dense, lazy_regime, matrix_sensing, minimal_norm

PER_CELL = {  # numbers that a compiled program takes, and names that only label them
    lazy_regime.NAME: {*lazy_regime.PER_CELL},
    matrix_sensing.NAME: {"n", "r", "start"},
    minimal_norm.NAME: {"rate", "decay"},
    gated_dense.NAME: {*gated_dense.PER_CELL},
}
MINE = [study for study in STUDIES if study.name in PER_CELL]
BY_STUDY = pytest.mark.parametrize("study", MINE, ids=lambda study: study.name)
BY_TIER = pytest.mark.parametrize("tier", TIERS)
SCALAR = (str, int, float, bool)


@BY_STUDY
def test_a_study_says_what_it_states_and_what_it_cannot_tell(study):
    assert len(MINE) == len(PER_CELL)
    assert study.statement.endswith(".")
    for heading in ("**What it measures.**", "**What it cannot tell.**", "**Example.**"):
        assert heading in study.notes


@BY_STUDY
def test_the_example_of_the_notes_can_be_run(study):
    words = study.notes.partition("**Example.**")[2].strip(" `\n").split()
    assert words[:3] == ["featlearn", "run", study.name]
    changes = dict(word.split("=", 1) for word in words[3:] if word != "--set")
    (plan,) = make_plans([study], "quick", changes=changes)
    assert plan.cells


@BY_STUDY
def test_every_tier_has_settings_of_the_same_names(study):
    assert set(study.settings) == set(study.seeds) == set(TIERS)
    names = set(study.settings["quick"])
    assert all(set(study.settings[tier]) == names for tier in TIERS)


@BY_TIER
@BY_STUDY
def test_every_cell_is_there_once_and_can_be_stored(study, tier):
    cells = study.grid(study.settings[tier])
    texts = {json.dumps(cell, sort_keys=True) for cell in cells}
    assert len(texts) == len(cells) > 1
    for cell in cells:
        assert json.loads(json.dumps(cell)) == cell
        for value in cell.values():
            flat = value if isinstance(value, list) else [value]
            assert all(type(v) in SCALAR for v in flat), value


@BY_TIER
@BY_STUDY
def test_cells_of_one_shape_differ_in_what_a_program_takes_as_numbers(study, tier):
    fleets = defaultdict(list)
    for cell in study.grid(study.settings[tier]):
        fleets[study.shape(cell)].append(cell)
    for cells in fleets.values():
        for name in cells[0].keys() - PER_CELL[study.name]:
            assert len({json.dumps(cell[name]) for cell in cells}) == 1, name
