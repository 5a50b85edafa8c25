"""What the studies of the kernels declare of themselves, and the grids of their tiers."""

import json
from collections import defaultdict

import pytest

from featlearn.engine import TIERS, make_plans
from featlearn.studies import STUDIES as BUILT_IN
from featlearn.studies.kernels import STUDIES

BY_STUDY = pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
BY_TIER = pytest.mark.parametrize("tier", TIERS)


def test_they_are_built_in():
    assert all(study in BUILT_IN for study in STUDIES)
    assert {study.system for study in STUDIES} == {"kernels"}
    assert sum(study.headline for study in STUDIES) <= 3


@BY_STUDY
def test_a_study_says_what_it_states_and_what_it_cannot_tell(study):
    assert study.statement.endswith(".")
    assert study.source
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
    assert len({json.dumps(cell, sort_keys=True) for cell in cells}) == len(cells) > 1
    assert all(json.loads(json.dumps(cell)) == cell for cell in cells)


@BY_STUDY
def test_the_quick_tier_compiles_few_programs(study):
    fleets = defaultdict(list)
    for cell in study.grid(study.settings["quick"]):
        fleets[study.shape(cell)].append(cell)
    assert len(fleets) <= 12
