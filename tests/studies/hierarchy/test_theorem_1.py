"""What the rows of `hierarchy/theorem-1` say."""

import pytest

from featlearn.studies.hierarchy._cells import times
from featlearn.studies.hierarchy.theorem_1 import STUDY, slides_gaps


def law(lost: int = 0, falls: bool = True):
    """Errors that fall like 1/t², `lost` seeds that do not, and a stall layer by layer."""
    seen = {}

    def values(p, luck):
        seed = seen.get((len(p.gaps), p.mode), 0)
        seen[len(p.gaps), p.mode] = seed + 1
        found = {}
        for t in times(vars(p)):
            left = p.level / 2 * (p.steps / max(t, 1)) ** (2 if falls else 0)
            found[f"risk_{t}"] = min(1.0, left) * luck
            if p.mode == "layerwise" or seed < lost:
                found[f"risk_{t}"] = 0.1 * luck
        return found

    return values


def test_nine_of_ten_seeds_are_enough(invent, judged):
    found = judged(STUDY, invent(STUDY, law(lost=1)))
    assert found.as_it_should_be
    assert found["L = 2, part of the seeds with error ≤ 0.0001 Var G"].measured.value == 0.9


def test_eight_of_ten_are_not(invent, judged):
    found = judged(STUDY, invent(STUDY, law(lost=2)))
    assert found["L = 2, part of the seeds with error ≤ 0.0001 Var G"].verdict == "fails"


def test_an_error_that_stands_still_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(falls=False)))
    falls = [f for label, f in found.items() if "error at the end" in label and f.role == "claim"]
    assert {finding.verdict for finding in falls} == {"fails"}


def test_gaps_are_those_of_the_slides():
    assert slides_gaps(16, 3) == pytest.approx([1.0, 1 / 4, 1 / 8])


def test_cells_with_another_level_are_one_program():
    two = [dict(STUDY.grid(STUDY.settings["quick"])[0], level=level) for level in (1e-4, 1e-5)]
    assert STUDY.shape(two[0]) == STUDY.shape(two[1])


def test_the_figure_has_a_panel_for_each_depth(invent):
    assert len(STUDY.figure(invent(STUDY, law())).axes) == 1
    rows = invent(STUDY, law(), tier="full")
    assert len(STUDY.figure(rows).axes) == 3
