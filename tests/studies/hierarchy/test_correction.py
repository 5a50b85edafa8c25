"""What the rows of `hierarchy/correction` say: corrected, stalled, and neither."""

import pytest

from featlearn.studies.hierarchy._cells import SHOWN, times
from featlearn.studies.hierarchy.correction import STUDY


def law(corrected: float = 0.01, stall: float = 0.08):
    """Foreign energy 0.05, times `corrected` once layer 2 has joined in; a risk that stalls."""

    def values(p, luck):
        at = times(vars(p))
        join = p.steps // 5
        found = {"variance": 100.0}
        for t in at:
            late = t > join
            apart = p.mode == "layerwise"
            found |= {
                f"foreign_{t}": 0.05 * (corrected * luck if late and not apart else 1.0),
                f"risk_{t}": (stall if apart else 1e-4) * luck if late else 1.5,
                **{f"error_{level}_{t}": 0.1 * luck for level in (1, 2)},
                **{f"null_{level}_{t}": 1.0 for level in (1, 2)},
            }
        for when in ("before", "end"):
            for i in range(SHOWN):
                found |= {f"form_{when}_{i}_{j}": float(i == j) for j in range(i, SHOWN)}
        return found

    return values


def test_a_correction_and_a_stall_are_what_the_claim_says(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert found.as_it_should_be
    assert len(found.verdicts("claim")) == len(found.verdicts("control")) == 2
    ratio = found["trained together: foreign energy of layer 1, after / before"].measured
    assert ratio.value == pytest.approx(0.01, rel=0.1)


def test_a_small_correction_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(corrected=0.5)))
    assert found["trained together: foreign energy of layer 1, after / before"].verdict == "fails"


def test_layers_that_do_not_stall_fail(invent, judged):
    found = judged(STUDY, invent(STUDY, law(stall=1e-3)))
    assert found["layer by layer: error / variance at the end"].verdict == "fails"


def test_the_figure_shows_both_modes_and_both_forms(invent):
    axes = STUDY.figure(invent(STUDY, law())).axes
    assert len([ax for ax in axes if ax.get_title(loc="left")]) == 4
