"""How the machine is judged against fixed kernels."""

import json
from collections import defaultdict

import pytest

from featlearn.engine import TIERS
from featlearn.studies.kernels._learners import FIXED, ISOTROPIC, MACHINE, SINGLE
from featlearn.studies.kernels.adaptive_beats_fixed import PER_CELL, STUDY, repeats

ROUNDS = {f"round_{r}": 0.4**r for r in range(6)}


def law(machine=0.1, fixed=0.55, told=0.02, isotropic=0.6, metric=0.98):
    def values(p, luck):
        if p.target == ISOTROPIC:
            found = {"risk": isotropic * luck}
        else:
            found = {
                "risk": (told if p.told else machine if p.learner == MACHINE else fixed) * luck
            }
        if p.learner == MACHINE:
            found |= {"metric_inside": metric, "gradients_inside": metric, "round": 3.0, **ROUNDS}
        return {**found, "grid_edge": 0.0}

    return values


@pytest.fixture(scope="module")
def good(invent):
    return invent(STUDY, law())


def test_a_machine_under_the_plateau_of_every_kernel_is_what_the_claim_says(good, judged):
    found = judged(STUDY, good)
    assert found.as_it_should_be
    assert set(found.verdicts("claim")) == {
        "the machine: squared error",
        "the machine / the best fixed kernel, seed by seed: squared error",
        *(f"{kernel}: squared error" for kernel in FIXED),
    }
    metric = found["energy of the machine's metric in S*"]
    assert (metric.verdict, metric.measured.value) == ("measured", 0.98)


def test_a_machine_on_the_plateau_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(machine=0.5)))
    assert found["the machine: squared error"].verdict == "fails"
    ratio = found["the machine / the best fixed kernel, seed by seed: squared error"]
    assert ratio.verdict == "fails"


def test_fixed_kernels_that_leave_the_plateau_fail(invent, judged):
    found = judged(STUDY, invent(STUDY, law(fixed=0.25)))
    assert {found[f"{kernel}: squared error"].verdict for kernel in FIXED} == {"fails"}


def test_the_machine_is_compared_with_the_best_kernel_of_the_same_seed(good, judged):
    rows = good.copy()
    best = (rows["learner"] == "NTK") & (rows["repetition"] >= 0)
    machine = rows[(rows["learner"] == MACHINE) & (rows["target"] == SINGLE)]
    by_seed = machine.set_index("repetition")["risk"]
    rows.loc[best, "risk"] = 4 * rows.loc[best, "repetition"].map(by_seed)
    found = judged(STUDY, rows)
    ratio = found["the machine / the best fixed kernel, seed by seed: squared error"].measured
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((0.25, 0.25, 0.25))


def test_controls_that_hold_are_reported(invent, judged):
    rows = invent(STUDY, law(isotropic=0.1, told=0.6))
    rows.loc[(rows["target"] == ISOTROPIC) & (rows["learner"] == "RBF"), "risk"] = 0.6
    assert judged(STUDY, rows).unexpected == {
        "isotropic target: the machine: squared error",
        "isotropic target: the machine / RBF, seed by seed: squared error",
        "RBF told the direction: squared error",
    }


def test_diverged_cells_are_flagged_and_left_out_of_the_comparison(good, judged):
    rows = good.copy()
    mine = rows[(rows["learner"] == MACHINE) & (rows["target"] == SINGLE)].index[:3]
    rows.loc[mine, "state"] = "diverged"
    rows.loc[mine, "risk"] = float("nan")
    found = judged(STUDY, rows)
    assert found["the machine: squared error"].flags == ("diverged",)
    ratio = found["the machine / the best fixed kernel, seed by seed: squared error"]
    assert ratio.measured.seeds == 7


@pytest.mark.parametrize("tier", TIERS)
def test_cells_can_be_stored_and_share_a_program_where_they_may(tier):
    cells = STUDY.grid(STUDY.settings[tier])
    assert len({json.dumps(cell, sort_keys=True) for cell in cells}) == len(cells)
    fleets = defaultdict(list)
    for cell in cells:
        assert json.loads(json.dumps(cell)) == cell
        fleets[STUDY.shape(cell)].append(cell)
    assert len(fleets) == (1 + len(FIXED)) * len(STUDY.settings[tier]["multiples"])
    for fleet in fleets.values():
        for name in fleet[0].keys() - set(PER_CELL):
            assert len({json.dumps(cell[name]) for cell in fleet}) == 1


def test_controls_get_half_of_the_seeds():
    counts = {(c["target"], c["told"]): repeats(c, 10) for c in STUDY.grid(STUDY.settings["quick"])}
    assert counts == {(SINGLE, False): 10, (ISOTROPIC, False): 5, (SINGLE, True): 5}


def test_more_sizes_add_a_panel(invent):
    assert len(STUDY.figure(invent(STUDY, law())).axes) == 2
    assert len(STUDY.figure(invent(STUDY, law(), tier="full")).axes) == 3
