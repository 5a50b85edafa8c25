"""What the eight studies declare of themselves, and the grids of their tiers."""

import json
from collections import defaultdict

import pytest

from featlearn.engine import TIERS
from featlearn.studies import STUDIES as BUILT_IN
from featlearn.studies.representations import STUDIES
from featlearn.studies.representations._cells import KERNELS, PER_CELL, SMALL

BY_STUDY = pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
BY_TIER = pytest.mark.parametrize("tier", TIERS)
BETWEEN_CELLS = {  # numbers that a compiled program takes, and names that only label them
    "representations/transfer": {"n", "noise", "shuffled", "pretrained", "multiple"},
}


def test_the_claims_are_these():
    names = (
        "sample-complexity kernel-plateau transfer subspace multi-index csq-barrier width "
        "noise-floor"
    )
    assert sorted(study.name for study in STUDIES) == sorted(
        f"representations/{name}" for name in names.split()
    )
    assert all(study in BUILT_IN for study in STUDIES)


def test_three_of_them_are_the_main_ones():
    assert {study.name for study in STUDIES if study.headline} == {
        "representations/sample-complexity",
        "representations/kernel-plateau",
        "representations/transfer",
    }


@BY_STUDY
def test_a_network_is_trained_from_ten_seeds_at_least(study):
    for tier in ("quick", "full"):
        cells = study.grid(study.settings[tier])
        network = [c for c in cells if c["learner"] == "one step"]
        seeds = {study.repeats(c, study.seeds[tier]) for c in network}
        assert seeds == set() or min(seeds) >= 10
        assert study.seeds[tier] >= 10


@BY_TIER
@BY_STUDY
def test_cells_of_one_shape_differ_in_what_a_program_takes_as_numbers(study, tier):
    fleets = defaultdict(list)
    for cell in study.grid(study.settings[tier]):
        fleets[study.shape(cell)].append(cell)
    may_differ = BETWEEN_CELLS.get(study.name, set(PER_CELL))
    for cells in fleets.values():
        for name in cells[0].keys() - may_differ:
            assert len({json.dumps(cell[name]) for cell in cells}) == 1, name


@BY_TIER
@BY_STUDY
def test_samples_fit_their_rows(study, tier):
    for cell in study.grid(study.settings[tier]):
        assert 1 < cell["n"] <= cell["rows"]
        if cell["learner"] in KERNELS:
            assert cell["width"] == 0
            assert cell["rows"] == cell["n"] or cell["rows"] <= SMALL
