"""How verdicts read."""

import pytest

from featlearn.claims import AtMost, Measured, judge
from featlearn.report._verdicts import reading, settled_by


@pytest.mark.parametrize(
    ("role", "low", "high", "words", "tone"),
    [
        ("claim", 0, 1, "holds", "good"),
        ("claim", 3, 4, "fails", "bad"),
        ("claim", 1, 3, "open", "open"),
        ("control", 0, 1, "holds, but must fail", "bad"),
        ("control", 3, 4, "fails, as it must", "good"),
        ("control", 1, 3, "open, but must fail", "open"),
    ],
)
def test_a_control_reads_the_other_way_round(role, low, high, words, tone):
    found = judge("a/b", "c", Measured((low + high) / 2 - 0.1, low, high, 8), AtMost(2), role=role)
    read = reading(found)
    assert (read.words, read.tone) == (words, tone)
    assert (tone == "bad") == (not found.as_expected)
    assert bool(settled_by(found)) == (tone == "open")


def test_without_a_bound_it_is_measured():
    found = judge("a/b", "c", Measured(1, 0, 2, 8), None)
    assert reading(found).tone == "plain"
    assert settled_by(found) == ""


def test_a_verdict_on_the_bound_promises_nothing():
    found = judge("a/b", "c", Measured(2, 1, 3, 8), AtMost(2))
    assert found.verdict == "open"
    assert settled_by(found) == ""
