import math
import subprocess
import sys

import numpy as np
import pytest

from featlearn.errors import InvalidInputError
from featlearn.measures.thresholds import (
    FLOOR,
    Crossing,
    difference_interval,
    median_interval,
    ratio_interval,
    threshold_crossing,
)

SIZES = [100, 200, 400, 800, 1600]


def test_judging_stored_rows_needs_no_jax() -> None:
    code = (
        "import sys, featlearn.measures.thresholds, featlearn.measures.exponents;"
        "sys.exit('jax' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("power", [0.5, 1.0, 3.0])
def test_a_power_law_is_crossed_exactly(power: float) -> None:
    errors = np.asarray(SIZES, float) ** -power
    level = 570.0**-power
    found = threshold_crossing(SIZES, errors, level)
    assert found.side == ""
    assert not found.censored
    assert found.value == pytest.approx(570.0, rel=1e-12)
    linear = np.interp(-level, -errors, SIZES)
    assert abs(linear - 570.0) > 0.3  # interpolation without logarithms is rejected


def test_order_of_the_sizes_does_not_matter() -> None:
    errors = np.array([1.0, 0.7, 0.3, 0.04, 0.01])
    mixed = [3, 0, 4, 1, 2]
    expected = threshold_crossing(SIZES, errors, 0.1)
    assert threshold_crossing(np.array(SIZES)[mixed], errors[mixed], 0.1) == expected


def test_bounds_of_the_grid() -> None:
    assert threshold_crossing(SIZES, [1, 1, 1, 1, 0.5], 0.1) == Crossing(1600.0, "above")
    assert threshold_crossing(SIZES, [0.1, 0.1, 0.1, 0.1, 0.1], 0.1) == Crossing(100.0, "below")
    assert threshold_crossing(SIZES, [math.nan] * 5, 0.1) == Crossing(1600.0, "above")
    assert threshold_crossing([50], [0.2], 0.1) == Crossing(50.0, "above")
    assert threshold_crossing([50], [0.05], 0.1) == Crossing(50.0, "below")
    assert Crossing(1600.0, "above").censored


def test_a_lucky_point_is_no_crossing_and_an_unlucky_one_takes_none_back() -> None:
    lucky = threshold_crossing(SIZES, [1.0, 0.05, 1.0, 0.1, 0.01], 0.1)
    assert lucky.value == pytest.approx(800.0)  # not 100 … 200
    unlucky = threshold_crossing(SIZES, [1.0, 0.1, 0.05, 0.3, 0.01], 0.1)
    assert unlucky.value == pytest.approx(200.0)  # not 800 … 1600
    first = threshold_crossing(SIZES, [0.05, 1.0, 1.0, 0.1, 0.05], 0.1)
    assert first == Crossing(pytest.approx(800.0), "")  # type: ignore[arg-type]


def test_the_last_point_counts_alone() -> None:
    assert threshold_crossing(SIZES, [1, 1, 1, 1, 0.1], 0.1).value == pytest.approx(1600.0)


def test_points_without_an_error_have_not_reached_the_level() -> None:
    diverged = threshold_crossing(SIZES, [1.0, math.nan, 0.05, 0.05, 0.05], 0.1)
    assert diverged == Crossing(400.0)
    undone = threshold_crossing(SIZES, [1.0, 0.05, math.inf, 0.1, 0.05], 0.1)
    assert undone == Crossing(800.0)


def test_an_error_of_zero_is_taken_as_a_small_part_of_the_level() -> None:
    zero = threshold_crossing([100, 200], [1.0, 0.0], 0.1)
    assert zero == threshold_crossing([100, 200], [1.0, 0.1 * FLOOR], 0.1)
    assert 100 < zero.value < 200


@pytest.mark.parametrize(
    ("sizes", "errors", "level", "says"),
    [
        ([100, 100], [1.0, 0.1], 0.5, "each size once"),
        ([0, 100], [1.0, 0.1], 0.5, "positive"),
        ([100, 200], [1.0], 0.5, "one error for each size"),
        ([100, 200], [1.0, -0.1], 0.5, "negative"),
        ([100, 200], [1.0, 0.1], 0.0, "level"),
        ([], [], 0.5, "one length"),
    ],
)
def test_curves_that_cannot_be_judged(sizes, errors, level, says) -> None:
    with pytest.raises(InvalidInputError, match=says):
        threshold_crossing(sizes, errors, level)


def test_median_and_its_interval_cover_the_median_of_a_skewed_law() -> None:
    """Exponential law: median log 2, mean 1."""
    generator = np.random.default_rng(0)
    found = [median_interval(generator.exponential(size=15), draws=400) for _ in range(400)]
    coverage = np.mean([m.low <= math.log(2) <= m.high for m in found])
    assert 0.95 - 4 * (0.95 * 0.05 / 400) ** 0.5 < coverage < 0.99
    assert np.mean([m.low <= 1.0 <= m.high for m in found]) < 0.8  # an interval of the mean


def test_median_interval_is_that_of_the_order_statistics() -> None:
    """P(bootstrap median <= x_(k)) = P(Binomial(n, k/n) > n/2), for odd n."""
    from scipy.stats import binom

    n, values = 21, np.arange(21.0)
    ends = [binom.sf(n // 2, n, (k + 1) / n) for k in range(n)]
    low = int(np.argmax(np.array(ends) >= 0.025))
    measured = median_interval(values, draws=20_000)
    assert (measured.value, measured.low, measured.high) == (10, low, 20 - low)
    assert measured.seeds == 21
    narrow = median_interval(values, confidence=0.5, draws=20_000)
    assert measured.low < narrow.low <= 10 <= narrow.high < measured.high


def test_infinite_values_count_as_larger_than_every_other() -> None:
    some = median_interval([1.0, 2.0, 3.0, math.inf, math.inf])
    assert (some.value, some.high) == (3.0, math.inf)
    assert 1.0 <= some.low < 3.0
    most = median_interval([1.0, 2.0, math.inf, math.inf, math.inf])
    assert most.value == math.inf
    assert not most.finite
    assert most.low < math.inf
    every = median_interval([math.inf] * 5)
    assert (every.low, every.high) == (math.inf, math.inf)


def test_one_seed_says_nothing_of_the_spread() -> None:
    one = median_interval([3.0])
    assert (one.value, one.low, one.high, one.seeds) == (3.0, -math.inf, math.inf, 1)
    assert ratio_interval([3.0], [1.0, 2.0]).low == 0.0
    assert difference_interval([3.0], [1.0, 2.0]).high == math.inf


@pytest.mark.parametrize("values", [[], [1.0, math.nan], [1.0, -math.inf], [[1.0, 2.0]]])
def test_values_without_a_median(values) -> None:
    with pytest.raises(InvalidInputError):
        median_interval(values)


def test_confidence_is_a_probability() -> None:
    with pytest.raises(InvalidInputError, match="between 0 and 1"):
        median_interval([1.0, 2.0], confidence=95)


def test_ratios_and_differences_cover_the_true_ones() -> None:
    """Two groups that share nothing: a pairing of seeds, or one group held fixed, misses it."""
    generator = np.random.default_rng(1)
    ratios, differences, fixed = [], [], []
    for _ in range(300):
        a, b = 3 * generator.exponential(size=15), generator.exponential(size=15)
        r = ratio_interval(a, b, draws=400)
        s = difference_interval(a, b, draws=400)
        only = median_interval(a, draws=400)
        ratios.append(r.low <= 3 <= r.high)
        differences.append(s.low <= 2 * math.log(2) <= s.high)
        fixed.append(only.low <= 3 * np.median(b) <= only.high)
    band = 4 * (0.95 * 0.05 / 300) ** 0.5
    assert np.mean(ratios) > 0.95 - band
    assert np.mean(differences) > 0.95 - band
    assert np.mean(fixed) < 0.95 - band


def test_values_of_ratios_and_differences() -> None:
    a, b = [4.0, 6.0, 8.0], [1.0, 2.0, 3.0, 4.0]
    ratio, difference = ratio_interval(a, b), difference_interval(a, b)
    assert (ratio.value, difference.value, ratio.seeds) == (6 / 2.5, 6 - 2.5, 3)
    assert 4 / 4 <= ratio.low < ratio.value < ratio.high <= 8
    twice = ratio_interval([8.0, 12.0, 16.0], b)
    assert (twice.low, twice.high) == pytest.approx((2 * ratio.low, 2 * ratio.high))


def test_a_ratio_of_two_unknowns_is_unknown() -> None:
    both = ratio_interval([math.inf] * 3, [math.inf] * 3)
    assert math.isnan(both.value)
    assert (both.low, both.high) == (0.0, math.inf)
    above = ratio_interval([math.inf] * 3, [1.0, 2.0, 3.0])
    assert (above.value, above.low) == (math.inf, math.inf)
    apart = difference_interval([math.inf] * 3, [math.inf] * 3)
    assert (apart.low, apart.high) == (-math.inf, math.inf)
    with pytest.raises(InvalidInputError, match="difference_interval"):
        ratio_interval([-1.0, 1.0], [1.0, 2.0])
