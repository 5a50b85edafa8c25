"""n*(d) of the step and of a kernel, from curves with known crossings."""

import numpy as np
import pytest

from featlearn.harmonics import harmonics
from featlearn.studies.representations.sample_complexity import CURVE, LEVEL, STUDY

KERNEL = "RBF: slope of log n*(d)"
STEP = "one step: slope of log n*(d)"
SCALED = "one step: n*/d² at d = 64"
CONTROL = "step of size 0 (random features): n*/d² at d = 64"


def law(step=lambda d: 6 * d**1.6, kernel=lambda d: 1.5 * harmonics(d, 3), still=0.9):
    """Errors that come down to the level at step(d) and kernel(d), and `still` without a step."""

    def values(p, luck):
        if p.learner == "one step" and p.step == 0:
            risk = still
        else:
            risk = LEVEL * ((step if p.learner == "one step" else kernel)(p.d) / p.n) ** 2
        return {"risk": risk * luck, "grid_edge": 0.0}

    return values


def test_a_step_with_few_samples_and_a_kernel_with_many_is_what_the_claim_says(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert set(found) == {STEP, SCALED, CONTROL, KERNEL}
    assert found.as_it_should_be
    assert found.unexpected == set()
    assert found[STEP].measured.value == pytest.approx(1.6, abs=0.03)
    assert found[SCALED].measured.value == pytest.approx(6 * 64**-0.4, rel=0.05)
    assert found[CONTROL].measured.value == np.inf


def test_the_kernel_is_compared_with_the_harmonics_of_these_dimensions(invent, judged):
    finding = judged(STUDY, invent(STUDY, law()))[KERNEL]
    expected = float(finding.predicted.rpartition(" ")[2].rstrip(")"))
    assert finding.predicted.startswith("≥ 2 ")
    assert expected == pytest.approx(finding.measured.value, abs=0.05)
    assert finding.measured.seeds == 5


def test_a_step_that_needs_more_than_a_square_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(step=lambda d: 0.4 * d**2.5)))
    assert found[STEP].measured.value == pytest.approx(2.5, abs=0.03)
    assert found.unexpected == {STEP}


def test_a_step_that_never_comes_down_fails_by_its_constant(invent, judged):
    found = judged(STUDY, invent(STUDY, law(step=lambda d: 1000 * d**2)))
    assert (found[SCALED].verdict, found[SCALED].measured.value) == ("fails", np.inf)
    assert found[STEP].verdict == "open"


def test_a_kernel_that_needs_few_samples_fails(invent, judged):
    found = judged(STUDY, invent(STUDY, law(kernel=lambda d: 16 * d**1.5)))
    assert found.unexpected == {KERNEL}


def test_random_features_that_learn_are_reported(invent, judged):
    found = judged(STUDY, invent(STUDY, law(still=0.1)))
    assert found[CONTROL].verdict == "holds"
    assert found.unexpected == {CONTROL}


def test_only_random_features_are_limited_by_their_width(invent, judged):
    found = judged(STUDY, invent(STUDY, law()))
    assert {label for label, f in found.items() if "width-limited" in f.flags} == {CONTROL}


def test_the_documents_curve_is_not_judged(invent, judged):
    rows = invent(STUDY, law())
    assert judged(STUDY, rows) == judged(STUDY, rows[rows["part"] != CURVE])


def test_rivals_get_fewer_seeds_and_the_step_all():
    cells = STUDY.grid(STUDY.settings["full"])
    seeds = {(c["learner"], c["n"] > 20_000): STUDY.repeats(c, 10) for c in cells}
    assert seeds[("one step", False)] == seeds[("one step", True)] == 10
    assert (seeds[("RBF", False)], seeds[("RBF", True)]) == (5, 2)
    assert all(STUDY.repeats(c, 1) == 1 for c in cells)
