"""Loss and learned parts of kernels between d² and dᵖ samples."""

import pytest

from featlearn.studies.representations._cells import KERNELS
from featlearn.studies.representations.kernel_plateau import STUDY


def law(risk=0.5, low=0.95, high=0.02, plain=0.05):
    """Kernels at the plateau, with these shares of He2 and He5; `plain` is their loss for p = 2."""

    def values(p, luck):
        if p.learner == "one step":
            return {"risk": 0.03 * luck, "learned_2": 1.0, "learned_5": 0.9, "grid_edge": 0.0}
        if p.p == 2:
            return {"risk": plain * luck, "learned_2": 0.99, "grid_edge": 0.0}
        return {"risk": risk * luck, "learned_2": low * luck, "learned_5": high * luck,
                "grid_edge": 0.0}  # fmt: skip

    return values


@pytest.fixture(scope="module")
def good(invent):
    return invent(STUDY, law())


def test_every_kernel_at_the_plateau_is_what_the_claim_says(good, judged):
    found = judged(STUDY, good)
    assert found.as_it_should_be
    for kernel in KERNELS:
        claims = {label for label in found.verdicts("claim") if label.startswith(f"{kernel}: ")}
        assert len(claims) == 3
        assert found.verdicts("control")[f"{kernel}, p = 2: squared error"] == "fails"
        assert found[f"{kernel}: squared error"].measured.seeds == 5
    assert found["one step, same samples: squared error"].verdict == "measured"
    assert "n = 9 d²" in found["RBF: squared error"].note


def test_kernels_that_learn_the_high_part_fail(invent, judged):
    found = judged(STUDY, invent(STUDY, law(risk=0.1, high=0.8)))
    for kernel in KERNELS:
        assert found[f"{kernel}: squared error"].verdict == "fails"
        assert found[f"{kernel}: learned share of He5"].verdict == "fails"
        assert found[f"{kernel}: learned share of He2"].verdict == "holds"


def test_kernels_that_learn_nothing_fail(invent, judged):
    found = judged(STUDY, invent(STUDY, law(risk=1.0, low=0.1)))
    assert found["NTK: squared error"].verdict == "fails"
    assert found["NTK: learned share of He2"].verdict == "fails"


def test_a_control_that_holds_is_reported(invent, judged):
    found = judged(STUDY, invent(STUDY, law(plain=0.5)))
    assert found.unexpected == {f"{kernel}, p = 2: squared error" for kernel in KERNELS}


def test_only_the_largest_sample_is_judged(good, judged):
    rows = good.copy()
    rows.loc[rows["n"] < rows["n"].max(), "risk"] = 1.0
    assert judged(STUDY, rows) == judged(STUDY, good)


def test_diverged_cells_are_flagged_and_not_averaged(good, judged):
    rows = good.copy()
    mine = rows[(rows["learner"] == "RBF") & (rows["n"] == rows["n"].max()) & (rows["p"] == 5)]
    rows.loc[mine.index[:2], "state"] = "diverged"
    rows.loc[mine.index[:2], "risk"] = 1e6
    found, before = judged(STUDY, rows), judged(STUDY, good)
    finding = found["RBF: squared error"]
    assert finding.flags == ("diverged",)
    assert finding.measured.seeds == 3
    assert finding.measured.high < 0.6
    others = {label for label in found if not label.startswith("RBF: ")}
    assert {label: found[label] for label in others} == {label: before[label] for label in others}


def test_a_penalty_at_the_edge_of_its_grid_is_flagged(good, judged):
    rows = good.copy()
    rows.loc[rows["learner"] == "NTK", "grid_edge"] = -1.0
    found = judged(STUDY, rows)
    assert {label for label, f in found.items() if "grid edge" in f.flags} == {
        label for label in found if label.startswith("NTK")
    }


def test_kernels_get_half_of_the_seeds():
    cells = STUDY.grid(STUDY.settings["quick"])
    assert {(c["learner"] in KERNELS, c["p"]): STUDY.repeats(c, 10) for c in cells} == {
        (True, 5): 5,
        (True, 2): 3,
        (False, 5): 10,
    }
    assert all(STUDY.repeats(c, 1) == 1 for c in cells)
