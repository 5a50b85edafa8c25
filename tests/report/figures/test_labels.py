"""Where names are placed."""

import numpy as np
from scipy.optimize import minimize

from featlearn.report.figures._labels import spread


def test_stay_where_there_is_room():
    wanted = np.array([50.0, 10.0, 90.0])
    np.testing.assert_allclose(spread(wanted, np.full(3, 10.0), 0, 100), wanted)


def test_give_way_evenly():
    centres = spread(np.array([50.0, 50.0, 50.0]), np.full(3, 10.0), 0, 100)
    np.testing.assert_allclose(np.sort(centres), [40, 50, 60])


def test_stay_within_the_ends():
    centres = spread(np.array([0.0, 1.0]), np.array([10.0, 20.0]), 0, 100)
    np.testing.assert_allclose(centres, [5, 20])


def test_too_many_are_centred():
    centres = spread(np.zeros(4), np.full(4, 10.0), 0, 20)
    np.testing.assert_allclose(np.sort(centres), [-5, 5, 15, 25])


def test_is_the_nearest_arrangement():
    """Against a general solver, on columns with ties and labels of several heights."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        wanted = np.sort(rng.uniform(0, 60, 5))
        heights = rng.uniform(5, 20, 5)
        gaps = (heights[:-1] + heights[1:]) / 2
        best = minimize(
            lambda c, w=wanted: np.sum((c - w) ** 2),
            wanted,
            jac=lambda c, w=wanted: 2 * (c - w),
            method="SLSQP",
            bounds=[(h / 2, 100 - h / 2) for h in heights],
            constraints={
                "type": "ineq",
                "fun": lambda c, g=gaps: np.diff(c) - g,
                "jac": lambda c: np.diff(np.eye(5), axis=0),
            },
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        np.testing.assert_allclose(spread(wanted, heights, 0, 100), best.x, atol=1e-8)
