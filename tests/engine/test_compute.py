"""One fleet: whatever the study does, outcomes that can be stored."""

import math

import numpy as np
import pytest

from featlearn.engine import Cell, Outcome
from featlearn.engine._compute import compute, one_line
from featlearn.errors import InvalidInputError


def cell(**parameters):
    return Cell(study="toy/risk", version=1, parameters=parameters, repetition=0)


def outcome_of(outcome):
    (kept,) = compute(lambda cells: [outcome], [cell(n=1)]).outcomes
    return kept


def test_numbers_of_arrays_become_plain_floats():
    kept = outcome_of(Outcome(values={"risk": np.float32(0.5), "steps": np.int64(3)}))
    assert kept.values == {"risk": 0.5, "steps": 3.0}
    assert {type(value) for value in kept.values.values()} == {float}


def test_not_a_number_is_taken_out_and_named():
    kept = outcome_of(Outcome(values={"b": math.nan, "a": math.nan, "c": math.inf}))
    assert kept == Outcome(values={"c": math.inf}, state="diverged", message="not a number: a, b")


def test_a_state_that_the_study_gave_is_kept():
    kept = outcome_of(Outcome(values={"a": math.nan}, state="diverged", message="step 7"))
    assert kept == Outcome(values={}, state="diverged", message="step 7")


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (Outcome(values={"risk": "high"}), "ValueError: could not convert"),
        (Outcome(values={"risk": None}), "TypeError"),
        (Outcome(values={"n": 1.0}), "named like parameters: n"),
        (None, "AttributeError"),
    ],
)
def test_what_cannot_be_stored_fails_with_its_reason(outcome, reason):
    kept = outcome_of(outcome)
    assert kept.state == "failed"
    assert reason in kept.message


def test_an_error_is_one_line():
    assert one_line(ValueError("\n  first\nsecond")) == "ValueError: first"
    assert one_line(ValueError()) == "ValueError"
    assert one_line(InvalidInputError("Give more rows.")) == "Give more rows."
    assert len(one_line(ValueError("x" * 1000))) == 300
