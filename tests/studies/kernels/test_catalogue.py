"""What the studies of the kernels declare of themselves, and the grids of their tiers."""

from collections import defaultdict

import pytest

from featlearn.studies import STUDIES as BUILT_IN
from featlearn.studies.kernels import STUDIES

BY_STUDY = pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)


def test_they_are_built_in():
    assert all(study in BUILT_IN for study in STUDIES)
    assert {study.system for study in STUDIES} == {"kernels"}
    assert sum(study.headline for study in STUDIES) <= 3


@BY_STUDY
def test_the_quick_tier_compiles_few_programs(study):
    fleets = defaultdict(list)
    for cell in study.grid(study.settings["quick"]):
        fleets[study.shape(cell)].append(cell)
    assert len(fleets) <= 12
