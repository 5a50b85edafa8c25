"""What four of the studies declare of themselves, and the grids of their tiers."""

import json
from collections import defaultdict

import pytest

from featlearn.engine import TIERS
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


@BY_TIER
@BY_STUDY
def test_cells_of_one_shape_differ_in_what_a_program_takes_as_numbers(study, tier):
    fleets = defaultdict(list)
    for cell in study.grid(study.settings[tier]):
        fleets[study.shape(cell)].append(cell)
    for cells in fleets.values():
        for name in cells[0].keys() - PER_CELL[study.name]:
            assert len({json.dumps(cell[name]) for cell in cells}) == 1, name
