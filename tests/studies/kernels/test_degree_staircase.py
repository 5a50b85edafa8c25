"""The staircase as it is judged: against the predicted curve, its slope, and before the stair."""

import json
from collections import defaultdict

import pytest

from featlearn.engine import TIERS
from featlearn.studies.kernels._series import DEGREES, TOLD, WITHOUT
from featlearn.studies.kernels.degree_staircase import PER_PATH, STUDY, repeats, sample_sizes

CONSTANTS = {1: 1.2, 2: 0.5, 3: 0.2}


def stair(n, d, k, shift=1.0):
    """Half is learned at `shift` times what is predicted; sharper than the real curve."""
    return 1 / (1 + (shift * CONSTANTS[k] * d**k / n) ** 2)


def law(shift=lambda d, k: 1.0, told=lambda p, k: stair(p.n, 6, k), lacking=0.0):
    def values(p, luck):
        found = {}
        for k in DEGREES:
            share = stair(p.n, p.d, k, shift(p.d, k))
            if p.kernel == TOLD:
                share = told(p, k)
            elif k in WITHOUT.get(p.kernel, ()):
                share = lacking * share
            found |= {
                f"learned_{k}": share * luck,
                f"predicted_learned_{k}": stair(p.n, p.d, k),
                f"wrong_learned_{k}": stair(p.n, p.d, k, 2.5),
            }
        return found

    return values


@pytest.fixture(scope="module")
def good(invent):
    return invent(STUDY, law())


@pytest.fixture(scope="module")
def found(good, judged):
    return judged(STUDY, good)


def test_a_staircase_as_predicted_is_what_the_claim_says(found):
    assert found.as_it_should_be
    near = {label for label in found.verdicts("claim") if "n* / predicted" in label}
    assert {"degree 1, d = 128: n* / predicted", "degree 3, d = 16: n* / predicted"} <= near
    assert any(label.startswith("hypercube, degree 2") for label in near)
    assert found["degree 2: slope of log n*(d)"].measured.value == pytest.approx(2.0, abs=0.05)


def test_every_degree_has_a_slope_a_stair_and_a_share_before_it(found):
    claims = found.verdicts("claim")
    for k in DEGREES:
        assert f"degree {k}: slope of log n*(d)" in claims
        assert any(label.startswith(f"share of degree {k} learned") for label in claims)


def test_stairs_that_come_later_than_predicted_fail(invent, judged):
    found = judged(STUDY, invent(STUDY, law(shift=lambda d, k: 1.6)))
    verdicts = {v for label, v in found.verdicts("claim").items() if "n* / predicted" in label}
    assert verdicts == {"fails"}
    assert found["degree 3: slope of log n*(d)"].verdict == "holds"


def test_stairs_that_grow_with_another_power_fail(invent, judged):
    found = judged(STUDY, invent(STUDY, law(shift=lambda d, k: (d / 16) ** 0.6)))
    for k in DEGREES:
        assert found[f"degree {k}: slope of log n*(d)"].verdict == "fails"


def test_a_degree_that_is_learned_before_its_stair_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(shift=lambda d, k: 0.02 if k == 3 else 1.0)))
    assert found["share of degree 3 learned where half of degree 2 is"].verdict == "fails"
    assert found["share of degree 2 learned where half of degree 1 is"].verdict == "holds"


def test_controls_that_hold_are_reported(invent, judged):
    rows = invent(STUDY, law(told=lambda p, k: stair(p.n, p.d, k), lacking=1.0))
    unexpected = judged(STUDY, rows).unexpected
    assert {label.partition(":")[0] for label in unexpected} == {f"kernel {TOLD}", *WITHOUT}


def test_a_stair_of_few_samples_is_left_out(found):
    """At d = 8, 12 and 16 half of degree 1 is learned from 10, 14 and 19 samples."""
    assert found["degree 1: slope of log n*(d)"].note.startswith("d = 32, 64, 128:")
    assert found["degree 2: slope of log n*(d)"].note.startswith("d = 8, 12, 16, 32:")


@pytest.mark.parametrize("dims", [{8, 12, 16}, {8}, {128}], ids=str)
def test_any_dimensions_can_be_judged_and_drawn(good, dims):
    rows = good[good["d"].isin(dims)]
    assert STUDY.judge(rows)
    assert len(STUDY.figure(rows).axes) == 2


def test_sizes_are_equal_steps_of_the_power_of_d():
    assert sample_sizes(16, 0.5, 2000) == [4, 16, 64, 256, 1024]


@pytest.mark.parametrize("tier", TIERS)
def test_cells_can_be_stored_and_share_a_program_where_they_may(tier):
    cells = STUDY.grid(STUDY.settings[tier])
    assert len({json.dumps(cell, sort_keys=True) for cell in cells}) == len(cells)
    fleets = defaultdict(list)
    for cell in cells:
        assert 1 < cell["n"] <= cell["rows"]
        assert json.loads(json.dumps(cell)) == cell
        fleets[STUDY.shape(cell)].append(cell)
    for fleet in fleets.values():
        for name in fleet[0].keys() - set(PER_PATH):
            assert len({cell[name] for cell in fleet}) == 1
    settings = STUDY.settings[tier]
    assert len(fleets) == len(settings["dims"]) + len(settings["other_laws"])


def test_controls_get_a_third_of_the_seeds():
    assert repeats({"kernel": "exponential"}, 24) == 24
    assert {repeats({"kernel": kernel}, 24) for kernel in (TOLD, *WITHOUT)} == {8}
    assert repeats({"kernel": TOLD}, 1) == 1
