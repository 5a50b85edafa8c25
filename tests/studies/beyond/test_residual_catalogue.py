"""What the studies of residual networks declare of themselves, and the grids of their tiers."""

import json
from collections import defaultdict

import pytest

from featlearn.engine import TIERS, make_plans
from featlearn.studies import STUDIES as BUILT_IN
from featlearn.studies.beyond import (
    alpha_squared,
    degree,
    first_layer_corrected,
    resnet_learns,
    sensitivity,
)
from featlearn.studies.beyond._cells import KERNELS, PER_CELL

MODULES = (resnet_learns, alpha_squared, sensitivity, first_layer_corrected, degree)
STUDIES = tuple(module.STUDY for module in MODULES)
BY_STUDY = pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
BY_TIER = pytest.mark.parametrize("tier", TIERS)


def test_they_are_built_in_and_one_is_a_main_one():
    assert all(study in BUILT_IN for study in STUDIES)
    assert [study.name for study in STUDIES if study.headline] == ["beyond/resnet-learns"]


@BY_STUDY
def test_a_study_says_what_it_states_and_what_it_cannot_tell(study):
    assert study.statement.endswith(".")
    for heading in ("**What it measures.**", "**What it cannot tell.**", "**Example.**"):
        assert heading in study.notes
    words = study.notes.partition("**Example.**")[2].strip(" `\n").split()
    assert words[:3] == ["featlearn", "run", study.name]
    changes = dict(word.split("=", 1) for word in words[3:] if word != "--set")
    (plan,) = make_plans([study], "quick", changes=changes)
    assert plan.cells


@BY_STUDY
def test_every_tier_has_settings_of_the_same_names(study):
    names = set(study.settings["quick"])
    assert all(set(study.settings[tier]) == names for tier in TIERS)


@BY_TIER
@BY_STUDY
def test_every_cell_is_there_once_and_fleets_differ_in_numbers_only(study, tier):
    cells = study.grid(study.settings[tier])
    texts = {json.dumps(cell, sort_keys=True) for cell in cells}
    assert len(texts) == len(cells) > 1
    fleets = defaultdict(list)
    for cell in cells:
        assert json.loads(json.dumps(cell)) == cell
        assert 1 < cell["n"] <= cell["rows"]
        assert (cell["width"] == 0) == (cell["learner"] in KERNELS)
        fleets[study.shape(cell)].append(cell)
    for fleet in fleets.values():
        for name in fleet[0].keys() - set(PER_CELL):
            assert len({json.dumps(cell[name]) for cell in fleet}) == 1, name


@BY_STUDY
def test_the_full_tier_searches_as_the_original_did(study):
    """At least four rates and four decays for what is trained, and five seeds."""
    cells = [c for c in study.grid(study.settings["full"]) if c["learner"] == "ResNet"]
    assert len({c["rate"] for c in cells}) >= 4
    assert len({c["decay"] for c in cells}) >= 4
    assert study.seeds["full"] >= 5
    assert {c["epochs"] for c in cells} == {800}
