"""δ against the law of the singular values of large matrices, and against what bounds it."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from featlearn.errors import InvalidInputError
from featlearn.measures import nuclear_dimension


def by_quarter_circle(d, r, penalty=1.0):
    """The singular values of an m × m Gaussian matrix over √m have density √(4 − s²)/π."""
    m = d - r

    def distance(tau):
        t = tau / np.sqrt(m)
        tail = quad(lambda s: (s - t) ** 2 * np.sqrt(4 - s**2) / np.pi, min(t, 2.0), 2)[0]
        return r * (2 * d - r) + penalty * tau**2 * r + m**2 * tail

    return minimize_scalar(distance, bounds=(0, 2 * np.sqrt(d) + 3), method="bounded").fun


@pytest.mark.parametrize(("d", "r"), [(40, 4), (60, 3), (60, 20)])
def test_is_that_of_the_quarter_circle_for_large_matrices(d, r):
    exact = nuclear_dimension(d, d, r)
    assert exact == pytest.approx(by_quarter_circle(d, r), rel=0.02)
    assert exact != pytest.approx(by_quarter_circle(d, r, penalty=0.5), rel=0.02)


def test_lies_between_the_freedom_of_a_matrix_and_three_times_it():
    for p, q, r in [(8, 8, 1), (5, 20, 2), (16, 16, 8), (12, 12, 11)]:
        free = r * (p + q - r)
        assert free < nuclear_dimension(p, q, r) < min(3 * free, p * q + 1)
        assert nuclear_dimension(p, q, r) == nuclear_dimension(p, q, r)
        assert nuclear_dimension(p, q, r) == pytest.approx(nuclear_dimension(q, p, r), rel=0.02)


def test_a_matrix_of_full_rank_needs_as_many_as_it_has_entries():
    assert nuclear_dimension(4, 7, 4) == 28
    assert nuclear_dimension(6, 1, 1) == 6


@pytest.mark.parametrize("rank", [0, 5])
def test_refuses_ranks_that_there_are_not(rank):
    with pytest.raises(InvalidInputError, match="between 1 and 4"):
        nuclear_dimension(4, 6, rank)
