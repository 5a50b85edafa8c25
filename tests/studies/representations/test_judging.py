"""Harmonics, and the flag of a width that limits."""

from itertools import product
from math import comb, log

import numpy as np
import pandas as pd
import pytest

from featlearn.harmonics import harmonics
from featlearn.studies._judging import harmonics_slope
from featlearn.studies.representations import _judging


@pytest.mark.parametrize(("d", "p"), [*product((2, 3, 4, 5), (0, 1, 2, 3, 4))])
def test_harmonics_are_the_polynomials_whose_laplacian_is_0(d, p):
    """The kernel of the Laplacian, from monomials of degree p to those of degree p − 2."""
    if p < 2:
        assert harmonics(d, p) == (1 if p == 0 else d)
        return
    above, below = ([a for a in product(range(k + 1), repeat=d) if sum(a) == k] for k in (p, p - 2))
    laplacian = np.zeros((len(below), len(above)))
    for column, a in enumerate(above):
        for j in range(d):
            if a[j] >= 2:
                lower = (*a[:j], a[j] - 2, *a[j + 1 :])
                laplacian[below.index(lower), column] = a[j] * (a[j] - 1)
    assert harmonics(d, p) == len(above) - np.linalg.matrix_rank(laplacian)


def test_the_slope_of_the_harmonics_comes_near_their_degree():
    assert harmonics_slope([1000.0, 2000.0], 3) == pytest.approx(3.0, abs=0.01)
    two = harmonics_slope([10.0, 20.0], 4)
    assert two == pytest.approx(log(harmonics(20, 4) / harmonics(10, 4), 2))


def cells(**changes):
    base = {"state": "done", "learner": "one step", "step": 1.0, "d": 4, "p": 3, "width": 8,
            "grid_edge": 0.0}  # fmt: skip
    return pd.DataFrame([{**base, "repetition": seed} for seed in range(4)]).assign(**changes)


@pytest.mark.parametrize(
    ("changes", "flags"),
    [
        ({}, ()),
        ({"step": 0.0, "width": comb(7, 3) - 1}, ("width-limited",)),
        ({"step": 0.0, "width": comb(7, 3)}, ()),
        ({"learner": "random features"}, ("width-limited",)),
        ({"step": 0.0, "grid_edge": 1.0, "state": "diverged"},
         ("diverged", "grid edge", "width-limited")),
    ],
)  # fmt: skip
def test_flags(changes, flags):
    assert _judging.flags_of(cells(**changes)) == flags
