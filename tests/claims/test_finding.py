"""Findings: controls must fail, and 'open' says how many more seeds would settle it."""

import math

import numpy as np
import pytest

from featlearn.claims import AtLeast, AtMost, Between, Measured, judge, overall


def finding(value, low, high, bound, *, role="claim", seeds=4):
    return judge("s/c", "label", Measured(value, low, high, seeds), bound, role=role)


HOLDS, FAILS, OPEN = (0.5, 0.4, 0.6), (2.0, 1.9, 2.1), (1.1, 0.9, 1.3)


@pytest.mark.parametrize(
    ("role", "numbers", "expected"),
    [
        ("claim", HOLDS, True),
        ("claim", FAILS, False),
        ("claim", OPEN, True),
        ("control", HOLDS, False),
        ("control", FAILS, True),
        ("control", OPEN, True),
    ],
)
def test_a_claim_must_not_fail_and_a_control_must_not_hold(role, numbers, expected):
    assert finding(*numbers, AtMost(1), role=role).as_expected is expected


def test_without_a_bound_it_is_a_measurement():
    found = finding(*FAILS, None)
    assert (found.role, found.verdict, found.predicted) == ("measurement", "measured", "—")
    assert found.as_expected


def test_the_worst_finding_is_the_verdict_and_controls_are_left_aside():
    holds, fails, opened = (finding(*numbers, AtMost(1)) for numbers in (HOLDS, FAILS, OPEN))
    control = finding(*FAILS, AtMost(1), role="control")
    assert overall([holds, control]) == "holds"
    assert overall([holds, opened, control]) == "open"
    assert overall([opened, fails]) == "fails"
    assert overall([control, finding(*HOLDS, None)]) == "measured"


@pytest.mark.parametrize("bound", [AtMost(1), AtLeast(1), Between(0, 1), Between(1, 5)])
def test_more_seeds_are_what_shrinks_the_interval_to_one_side(bound):
    found = finding(1.1, 0.9, 1.3, bound)  # reaches twice as far as the bound: four times 4 seeds
    assert found.more_seeds == 12


def test_the_side_that_straddles_decides():
    assert finding(1.1, 0.9, 9.0, AtMost(1)).more_seeds == 12


def test_with_that_many_seeds_it_is_settled():
    for low in np.linspace(0.5, 0.99, 12):
        found = finding(1.1, low, 1.3, Between(1, 5), seeds=7)
        shrunk = (1.1 - low) * math.sqrt(7 / (7 + found.more_seeds))
        one_less = (1.1 - low) * math.sqrt(7 / (7 + found.more_seeds - 1))
        assert shrunk <= 0.1 + 1e-12
        assert one_less > 0.1 or found.more_seeds == 1


def test_within_two_ends_both_must_be_cleared():
    assert finding(1.5, 1.0, 2.0, Between(1.0, 1.625)).more_seeds == 4 * 16 - 4


@pytest.mark.parametrize(
    "numbers",
    [
        (1.0, 0.5, 1.5),  # on the bound
        (1.0 + 1e-15, 0.5, 1.5),
        (1.1, -math.inf, 2.0),
        (math.nan, math.nan, math.nan),
        (math.inf, 0.5, math.inf),
    ],
)
def test_what_no_number_of_seeds_settles(numbers):
    found = finding(*numbers, AtMost(1))
    assert found.verdict == "open"
    assert found.more_seeds is None


def test_settled_findings_ask_for_no_seeds():
    assert finding(*HOLDS, AtMost(1)).more_seeds is None
    assert finding(*FAILS, AtMost(1)).more_seeds is None
