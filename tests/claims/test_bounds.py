"""Bounds: the three verdicts, at and around their ends."""

import math

import pytest

from featlearn.claims import AtLeast, AtMost, Between, Measured

CASES = [
    (AtMost(2), (1.0, 2.0), "holds"),
    (AtMost(2), (2.0, 3.0), "open"),
    (AtMost(2), (2.1, 3.0), "fails"),
    (AtLeast(2), (2.0, 3.0), "holds"),
    (AtLeast(2), (1.0, 2.0), "open"),
    (AtLeast(2), (1.0, 1.9), "fails"),
    (AtLeast(2), (3.0, math.inf), "holds"),
    (Between(1, 2), (1.0, 2.0), "holds"),
    (Between(1, 2), (0.9, 1.5), "open"),
    (Between(1, 2), (0.0, 3.0), "open"),
    (Between(1, 2), (2.1, 3.0), "fails"),
    (Between(1, 2), (0.0, 0.9), "fails"),
]


@pytest.mark.parametrize(("bound", "interval", "verdict"), CASES)
def test_an_interval_holds_fails_or_straddles(bound, interval, verdict):
    assert bound.verdict(*interval) == verdict


@pytest.mark.parametrize("bound", [AtMost(2), AtLeast(2), Between(1, 2)])
def test_what_is_not_a_number_settles_nothing(bound):
    assert bound.verdict(math.nan, math.nan) == "open"


def test_bounds_read_as_statements():
    assert [str(b) for b in (AtMost(2), AtLeast(0.5), Between(1, 2))] == [
        "≤ 2",
        "≥ 0.5",
        "in [1, 2]",
    ]


def test_an_interval_has_its_ends_in_order():
    with pytest.raises(AssertionError, match="in order"):
        Measured(1.0, 2.0, 0.0, 3)
