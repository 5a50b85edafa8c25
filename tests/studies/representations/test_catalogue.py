"""What the eight studies declare of themselves, and the grids of their tiers."""

import json
from collections import defaultdict

import pytest

from featlearn.engine import TIERS, make_plans
from featlearn.studies import STUDIES as BUILT_IN
from featlearn.studies.representations import STUDIES
from featlearn.studies.representations._cells import KERNELS, PER_CELL, SMALL

BY_STUDY = pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
BY_TIER = pytest.mark.parametrize("tier", TIERS)
SCALAR = (str, int, float, bool)
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
def test_a_study_says_what_it_states_and_what_it_cannot_tell(study):
    assert study.statement.endswith(".")
    assert study.source
    for heading in ("**What it measures.**", "**What it cannot tell.**", "**Example.**"):
        assert heading in study.notes
    assert f"featlearn run {study.name}" in study.notes


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
