import numpy as np
import pytest

from featlearn.testing import check_average, check_equal, require
from featlearn.testing.bands import band_of

DRAWS = np.random.default_rng(0).normal(size=(10_000, 2))


def test_a_band_of_four_standard_errors() -> None:
    mean, stderr = DRAWS[:, 0].mean(), DRAWS[:, 0].std() / 100
    check_average("x", DRAWS[:, 0], mean + 3.9 * stderr)
    with pytest.raises(AssertionError, match=r"^x: declared .* measured"):
        check_average("x", DRAWS[:, 0], mean + 4.1 * stderr)


def test_a_band_for_many_numbers_is_wider() -> None:
    assert band_of(1) == pytest.approx(4.0)
    assert 4.9 < band_of(100) < 5.1  # 3.2e-7 is the tail beyond 5.0
    with pytest.raises(AssertionError, match=r"at entry \(1,\)"):
        check_average("x", DRAWS, DRAWS.mean(axis=0) + np.array([0.0, 0.05]))


def test_draws_without_variance_are_compared_to_rounding() -> None:
    check_average("zero", np.zeros(10), 0.0)
    check_average("one", np.ones(10), 1.0 + 1e-7)
    with pytest.raises(AssertionError, match="one"):
        check_average("one", np.ones(10), 1.001)


def test_a_shape_or_a_nan_is_never_inside() -> None:
    with pytest.raises(AssertionError, match="shape"):
        check_average("x", DRAWS, 0.0)
    with pytest.raises(AssertionError):
        check_average("x", DRAWS[:, 0], np.nan)
    with pytest.raises(AssertionError):
        check_average("x", np.full(3, np.nan), 0.0)


def test_equality_is_relative_to_the_largest_number() -> None:
    check_equal("y", [100.0, 1.0005], [100.0, 1.0], tolerance=1e-5)
    with pytest.raises(AssertionError, match=r"y: differs by 0\.01"):
        check_equal("y", [100.0, 2.0], [100.0, 1.0], tolerance=1e-5)
    with pytest.raises(AssertionError, match="shape"):
        check_equal("y", [1.0], [[1.0]], tolerance=1.0)
    with pytest.raises(AssertionError):
        check_equal("y", [np.nan], [1.0], tolerance=1.0)


def test_require() -> None:
    require(True, "never")
    with pytest.raises(AssertionError, match="always"):
        require(np.False_, "always")
