"""Canonical spelling: equal values, equal ids; anything else is refused."""

import math
import subprocess
import sys

import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.store import canonical, cell_id


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (4, 4.0),
        (0.0, -0.0),
        ((1, 2), [1, 2]),
        (np.float64(0.1), 0.1),
        (np.int32(3), 3),
        (np.bool_(True), True),
        (2**60, float(2**60)),
    ],
)
def test_equal_values_are_spelt_alike(one, other):
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (1, "1"), (0.1, 0.1 + 2e-17 * 2), (2**60, 2**60 + 1), ([1, [2]], [[1], 2])],
)
def test_different_values_are_spelt_differently(one, other):
    assert canonical(one) != canonical(other)


@pytest.mark.parametrize("value", [math.nan, math.inf, {1: 2}, object(), {1, 2}, np.zeros(2)])
def test_what_has_no_spelling_is_refused_in_a_sentence(value):
    with pytest.raises(InvalidInputError, match="got"):
        canonical(value)


def test_ids_depend_on_everything_that_determines_a_cell():
    base = ("s/c", 1, {"n": 8}, 0)
    others = [("s/d", 1, {"n": 8}, 0), ("s/c", 2, {"n": 8}, 0), ("s/c", 1, {"n": 9}, 0)]
    ids = {cell_id(*parts) for parts in (base, *others, ("s/c", 1, {"n": 8}, 1))}
    assert len(ids) == 5


def test_ids_are_the_same_in_every_process():
    code = (
        "from featlearn.store import cell_id;"
        "print(cell_id('s/c', 1, {'n': [8, 0.5], 'kind': 'x'}, 3), end='')"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert printed == cell_id("s/c", 1, {"kind": "x", "n": (8.0, 0.5)}, 3)
    assert len(printed) == 64
