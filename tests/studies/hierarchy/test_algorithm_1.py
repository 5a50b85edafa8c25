"""What the rows of `hierarchy/algorithm-1` say, and one small training from end to end."""

import pytest

from featlearn.engine import make_plans
from featlearn.studies import STUDIES
from featlearn.studies.hierarchy.algorithm_1 import EARLY, FROZEN, STUDY, UNDISTILLED, WRITTEN, run


def law(p, luck):
    """Errors of 3e-5 and 1e-3, corrected fifty times; each control spoils what it should."""
    frozen, apart, early = (p.variant == name for name in (FROZEN, UNDISTILLED, EARLY))
    single = p.variant == "one draw of R"
    stuck = frozen or single
    values = {
        "reached": float(not stuck),
        "done_step": float("inf") if stuck else 1200 * luck,
        "wrong_widths": 2.0 if stuck or early else 0.0,
        "risk": (2e-2 if stuck else 3e-5) * luck,
        "risk_truncated": (2e-2 if stuck else 3e-5) * luck,
        "risk_distilled": 1e-3 * luck,
        "distilled_gap": (5e-2 if apart or early or stuck else 1e-3) * luck,
        "diverged": 0.0,
        "unlock_3": 50.0,
    }
    for step in (0, 50, 200, 1000, p.steps):
        values[f"objective@{step}"] = max(1e-5, 1 / (1 + step)) * luck
        for level in range(2, len(p.widths) + 2):
            values[f"features_{level}@{step}"] = max(1e-3, 1 / (1 + step)) * luck
    for level in range(2, len(p.widths) + 1):
        values[f"corrected_{level}"] = 1.0 if frozen else 50 * luck
    return values


@pytest.mark.parametrize("tier", ["quick", "full"])
def test_the_law_of_the_notes_holds_and_its_controls_fail(invent, judged, tier):
    found = judged(STUDY, invent(STUDY, law, tier))
    assert found.as_it_should_be
    problems = {"quick": 1, "full": 4}[tier]
    assert len(found.verdicts("claim")) == 3 * problems
    assert len(found.verdicts("control")) == 3


@pytest.mark.parametrize(
    ("column", "factor", "label"),
    [
        ("risk", 10, "uniform, L = 3, adam: E(G* − F)² / E G*²"),
        ("distilled_gap", 50, "uniform, L = 3, adam: E(distilled − trained)² / Var G*"),
    ],
)
def test_what_is_too_large_fails(invent, judged, column, factor, label):
    rows = invent(STUDY, law)
    rows[column] *= factor
    assert judged(STUDY, rows)[label].verdict == "fails"


def test_widths_that_are_wrong_for_most_seeds_fail(invent, judged):
    rows = invent(STUDY, law)
    rows.loc[(rows["variant"] == WRITTEN) & (rows["repetition"] < 9), "wrong_widths"] = 1.0
    assert judged(STUDY, rows)["uniform, L = 3, adam: Σ |k found − k|"].verdict == "fails"


def test_a_control_that_learns_is_reported(invent, judged):
    rows = invent(STUDY, law)
    rows.loc[rows["variant"] == FROZEN, "risk"] = 1e-5
    assert judged(STUDY, rows).unexpected == {f"{FROZEN}: E(G* − F)² / E G*²"}


def test_variants_share_the_program_of_the_algorithm_itself():
    (plan,) = make_plans([STUDY], "quick")
    shapes = {}
    for cell in plan.cells.values():
        shapes.setdefault(STUDY.shape(cell.parameters), set()).add(cell.parameters["variant"])
    assert list(shapes.values()) == [{WRITTEN, FROZEN, UNDISTILLED, EARLY, "one draw of R"}]


def test_the_figure_is_drawn(invent):
    assert len(STUDY.figure(invent(STUDY, law)).axes) == 2


def test_it_is_in_the_catalogue():
    assert STUDY in STUDIES


def test_a_small_training_gives_every_number():
    (plan,) = make_plans([STUDY], "smoke", changes={"steps": "100", "n": "500"})
    cells = [c for c in plan.cells.values() if c.repetition == 0]
    outcomes = run(cells)
    assert [o.state for o in outcomes] == ["done", "done"]
    for outcome in outcomes:
        values = outcome.values
        assert values["unlock_2"] == 0
        assert values["objective@0"] == pytest.approx(1, rel=1e-3)
        assert 0 <= values["risk"] < 1.5
        assert values["features_2@0"] == pytest.approx(1, rel=1e-6)  # S = 0
