"""What the studies of this system declare of themselves, and the grids of their tiers."""

import pytest

from featlearn.studies.hierarchy import STUDIES

BY_STUDY = pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
