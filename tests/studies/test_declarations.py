"""What every study declares of itself, and the grids of its tiers."""

import json

import pytest

from featlearn.engine import TIERS, make_plans
from featlearn.studies import STUDIES

BY_STUDY = pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
BY_TIER = pytest.mark.parametrize("tier", TIERS)
SCALAR = (str, int, float, bool)


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
    texts = {json.dumps(cell, sort_keys=True) for cell in cells}
    assert len(texts) == len(cells) > 1
    for cell in cells:
        assert json.loads(json.dumps(cell)) == cell
        assert all(type(v) in SCALAR for value in cell.values() for v in numbers(value)), cell


def numbers(value):
    """What a parameter holds, lists of lists taken apart."""
    return [v for part in value for v in numbers(part)] if isinstance(value, list) else [value]


@pytest.mark.parametrize("system", sorted({study.system for study in STUDIES}))
def test_a_system_has_three_main_claims_at_most(system):
    assert sum(study.headline for study in STUDIES if study.system == system) <= 3
