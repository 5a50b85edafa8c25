import math
import time

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import linregress, norm
from scipy.stats import t as student

from featlearn.claims import Measured
from featlearn.errors import InvalidInputError
from featlearn.measures import _tobit
from featlearn.measures.exponents import Slope, exponent

SIZES = [8, 16, 32, 64]
X = np.log(SIZES)


def drawn(seeds: int, generator: np.random.Generator, spread: float = 0.4) -> np.ndarray:
    """log n* with slope 2, (sizes, seeds)."""
    return 1 + 2 * X[:, None] + spread * generator.standard_normal((4, seeds))


def test_without_censoring_it_is_least_squares() -> None:
    y = drawn(6, np.random.default_rng(0))
    found = exponent(SIZES, list(np.exp(y)))
    line = linregress(np.repeat(X, 6), y.ravel())
    assert found.value == pytest.approx(line.slope, rel=1e-12)
    assert found.intercept == pytest.approx(line.intercept, rel=1e-10)
    assert found.low < found.value < found.high
    assert found.seeds == 6
    assert found.at([8, 100]) == pytest.approx(
        np.exp(line.intercept + line.slope * np.log([8, 100]))
    )


def test_unequal_numbers_of_seeds_weigh_as_points() -> None:
    y = drawn(6, np.random.default_rng(1))
    groups = [row[:m] for row, m in zip(y, (3, 6, 4, 5), strict=True)]
    line = linregress(np.repeat(X, [3, 6, 4, 5]), np.concatenate(groups))
    found = exponent(SIZES, [np.exp(g) for g in groups])
    assert found.value == pytest.approx(line.slope, rel=1e-12)
    assert found.seeds == 3


def test_one_seed_a_size_gives_the_t_interval() -> None:
    y = drawn(1, np.random.default_rng(2))[:, 0]
    found = exponent(SIZES, np.exp(y), confidence=0.9)
    line = linregress(X, y)
    reach = student.ppf(0.95, 2) * line.stderr
    assert found.value == pytest.approx(line.slope, rel=1e-6)
    assert found.low == pytest.approx(line.slope - reach, rel=1e-4)
    assert found.high == pytest.approx(line.slope + reach, rel=1e-4)
    assert (norm.ppf(0.95) * line.stderr) < 0.6 * (found.high - found.value)  # not the normal one


def test_two_points_leave_no_residual() -> None:
    found = exponent([10, 100], [5.0, 500.0])
    assert found.value == pytest.approx(2.0)
    assert (found.low, found.high) == (-math.inf, math.inf)


def reference(x, y, side) -> tuple[float, float]:
    """The same likelihood in (a, s, log σ), given to a general minimiser."""

    def loss(p: np.ndarray) -> float:
        z = (y - p[0] - p[1] * x) / np.exp(p[2])
        terms = np.where(side == 0, norm.logpdf(z) - p[2], norm.logcdf(-side * z))
        return -terms.sum()

    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 10_000, "maxfev": 10_000}
    best = minimize(loss, [0.0, 1.0, 0.0], method="Nelder-Mead", options=options)
    return best.x[1], best.x[0]


def censor(y: np.ndarray, low: float, high: float) -> tuple[list, list]:
    marks = np.where(y > high, "above", np.where(y < low, "below", ""))
    return list(np.exp(np.clip(y, low, high))), list(marks)


@pytest.mark.parametrize("seeds", [2, 5])
def test_censored_values_have_the_maximum_of_their_likelihood(seeds: int) -> None:
    y = drawn(seeds, np.random.default_rng(3))
    values, marks = censor(y, 5.2, 9.2)
    side = np.select([np.concatenate(marks) == "above", np.concatenate(marks) == "below"], [1, -1])
    assert set(side) == {-1, 0, 1}
    slope, intercept = reference(np.repeat(X, seeds), np.log(np.concatenate(values)), side)
    found = exponent(SIZES, values, marks)
    assert found.value == pytest.approx(slope, abs=1e-4)
    assert found.intercept == pytest.approx(intercept, abs=5e-4)


def test_bounds_are_neither_dropped_nor_taken_at_face_value() -> None:
    """60 data sets in which the larger sizes are mostly out of reach; slope 2."""
    generator = np.random.default_rng(4)
    right, dropped, face = [], [], []
    for _ in range(60):
        y = drawn(8, generator, spread=0.8)
        values, marks = censor(y, -np.inf, 1 + 2 * X[2])
        x, seen = np.repeat(X, 8), np.concatenate(marks) == ""
        logs = np.log(np.concatenate(values))
        right.append(exponent(SIZES, values, marks, draws=10).value)
        dropped.append(linregress(x[seen], logs[seen]).slope)
        face.append(linregress(x, logs).slope)

    def is_two(slopes: list[float]) -> bool:
        return abs(np.mean(slopes) - 2) < 4 * np.std(slopes) / len(slopes) ** 0.5

    assert is_two(right)
    assert not is_two(dropped)
    assert not is_two(face)


@pytest.mark.parametrize(("seeds", "top", "sets"), [(5, 99.0, 300), (5, 9.0, 300), (2, 9.0, 80)])
def test_the_interval_covers_the_slope_as_often_as_it_says(seeds, top, sets) -> None:
    generator = np.random.default_rng(5)
    covered, width = [], []
    for _ in range(sets):
        found = exponent(SIZES, *censor(drawn(seeds, generator), -9.0, top), draws=300)
        covered.append(found.low <= 2 <= found.high)
        width.append(found.high - found.low)
    assert abs(np.mean(covered) - 0.95) < 4 * (0.95 * 0.05 / sets) ** 0.5
    assert np.median(width) < 1.5  # it is not the whole line that covers


def test_seeds_within_a_size_are_resampled_not_sizes() -> None:
    """Far from a power law, but without spread between seeds: the interval has no width."""
    found = exponent(SIZES, [[10.0] * 4, [90.0] * 4, [95.0] * 4, [2000.0] * 4])
    assert found.high - found.low < 1e-9


def test_a_size_that_nobody_reached_raises_the_slope() -> None:
    y = 2 * X[:, None] + np.array([-0.2, -0.1, 0.0, 0.1, 0.2])
    values = list(np.exp(y))
    known = exponent(SIZES[:3], values[:3])
    far = exponent(SIZES, [*values[:3], [8000.0] * 5], {64: [True] * 5})
    face = exponent(SIZES, [*values[:3], [8000.0] * 5])
    near = exponent(SIZES, [*values[:3], [1000.0] * 5], {64: [True] * 5})
    assert far.value > face.value > known.value  # 64² = 4096, and nobody was there at 8000
    assert near.value == pytest.approx(known.value, abs=1e-6)  # 1000 says nothing new


def test_equal_seeds_do_not_crash_it() -> None:
    values = {d: [float(d) ** 2] * 4 for d in SIZES}
    assert exponent(SIZES, values).value == pytest.approx(2.0)
    values[64] = [3000.0] * 4
    capped = exponent(SIZES, values, {64: ["above"] * 4})
    assert (capped.value, capped.low, capped.high) == pytest.approx((2.0, 2.0, 2.0), abs=1e-3)
    values[64] = [9000.0] * 4
    pulled = exponent(SIZES, values, {64: ["above"] * 4})
    assert math.isfinite(pulled.value)
    assert pulled.value > 2.0


def test_exact_values_at_one_size_bound_the_slope_from_one_side() -> None:
    first = [90.0, 95.0, 100.0, 105.0, 110.0]
    face = math.log(3000 / 100) / math.log(4)
    up = exponent([8, 32], [first, [3000.0] * 5], {32: ["above"] * 5})
    assert (up.value, up.high) == (math.inf, math.inf)
    assert face - 0.3 < up.low < face + 0.05
    assert math.isnan(up.intercept)
    down = exponent([8, 32], [first, [3000.0] * 5], {32: ["below"] * 5})
    assert (down.value, down.low) == (-math.inf, -math.inf)
    assert face - 0.05 < down.high < face + 0.3
    both = exponent(
        [2, 8, 32], [[4.0] * 5, first, [3000.0] * 5], [["above"] * 5, [""] * 5, ["above"] * 5]
    )
    assert math.isfinite(both.value)
    assert math.isfinite(both.low)
    assert both.high < math.log(100 / 4) / math.log(4) + 0.3


def test_bounds_alone_may_say_something_or_nothing() -> None:
    above = exponent(SIZES, [[100.0] * 5] * 4, [True] * 4)
    assert math.isnan(above.value)
    assert (above.low, above.high) == (-math.inf, math.inf)
    apart = exponent([8, 64], [[100.0] * 5, [5000.0] * 5], ["below", "above"])
    assert (apart.value, apart.high) == (math.inf, math.inf)
    assert apart.low == pytest.approx(math.log(50) / math.log(8), abs=0.02)


def test_bounds_that_contradict_one_another_say_nothing() -> None:
    """The best spread is then endless, and so would be the slope."""
    marks = [["above", "below"], ["above", "above"], ["above", "above"]]
    found = exponent([8, 16, 32], [[1.0] * 2] * 3, marks)
    assert math.isnan(found.value)
    assert (found.low, found.high) == (-math.inf, math.inf)


def test_one_seed_with_a_bound_beside_it_says_nothing_of_the_spread() -> None:
    found = exponent([8, 64], [100.0, 5000.0], [False, True])
    assert (found.low, found.high) == (-math.inf, math.inf)


def test_resampled_seeds_that_lose_every_exact_value_keep_the_bound() -> None:
    """One of eight seeds was exact at the second size: a third of the draws miss it."""
    first = list(np.exp(4 + 0.1 * np.arange(8)))
    found = exponent([8, 32], [first, [2000.0] + [2500.0] * 7], {32: [False] + [True] * 7})
    assert math.isfinite(found.low)
    assert found.low > 1.0
    assert found.high == math.inf


def test_decay_rates_are_negative_slopes() -> None:
    errors = {n: [3.0 * n**-0.5, 3.1 * n**-0.5, 2.9 * n**-0.5] for n in (100, 400, 1600)}
    found = exponent([100, 400, 1600], errors)
    assert found.value == pytest.approx(-0.5, abs=1e-12)
    assert found.low <= found.value <= found.high < -0.4


def test_forms_of_the_arguments_agree() -> None:
    y = drawn(4, np.random.default_rng(6))
    values, marks = censor(y, -9.0, 9.0)
    expected = exponent(SIZES, values, marks)
    keyed = exponent(
        SIZES,
        dict(zip(SIZES, values, strict=True)),
        {d: m == "above" for d, m in zip(SIZES, marks, strict=True) if (m == "above").any()},
    )
    turned = exponent(SIZES[::-1], values[::-1], marks[::-1])
    assert keyed == expected
    assert turned.value == pytest.approx(expected.value, abs=1e-8)
    assert exponent(SIZES, values, marks) == expected  # the same draws every time
    assert exponent(SIZES, values, marks, seed=1).low != expected.low


def test_a_slope_is_a_measurement() -> None:
    slope = Slope(2.0, 1.5, 2.5, 7, 0.0)
    assert slope.measured == Measured(2.0, 1.5, 2.5, 7)


def test_a_thousand_draws_are_quick() -> None:
    generator = np.random.default_rng(7)
    values, marks = censor(drawn(20, generator), 4.0, 8.5)
    exponent(SIZES, values, marks, draws=10)
    start = time.process_time()
    exponent(SIZES, values, marks, draws=1000)
    assert time.process_time() - start < 1.0


@pytest.mark.parametrize(
    ("sizes", "thresholds", "censored", "says"),
    [
        ([8], [[1.0]], None, "at least two different sizes"),
        ([8, 8], [[1.0], [2.0]], None, "each size once"),
        ([8, 16], [[1.0], [math.inf]], None, "largest size tried"),
        ([8, 16], [[1.0], [math.nan]], None, "positive and finite"),
        ([8, 16], [[1.0], []], None, "positive and finite"),
        ([8, 16], {8: [1.0]}, None, r"\[16\]"),
        ([8, 16], [[1.0]], None, "one for each size"),
        ([8, 16], [[1.0], [2.0, 3.0]], [[True], [True]], "one for each seed"),
        ([8, 16], [[1.0], [2.0]], ["", "sideways"], "sideways"),
    ],
)
def test_what_has_no_slope(sizes, thresholds, censored, says) -> None:
    with pytest.raises(InvalidInputError, match=says):
        exponent(sizes, thresholds, censored)


def test_gradient_and_curvature_of_the_likelihood_are_its_derivatives() -> None:
    generator = np.random.default_rng(8)
    rows = np.stack([-np.ones(9), -generator.normal(size=9), generator.normal(size=9)], axis=1)
    side, weight = np.array([0, 1, -1] * 3), generator.integers(1, 4, size=(1, 9)).astype(float)
    problem = _tobit.Tobit.of(rows[None], side, weight)
    p, h = np.array([[0.3, -0.2, 0.9]]), 1e-4
    e = np.eye(3) * h

    def at(*moves: np.ndarray) -> float:
        return float(problem.value(p + sum(moves))[0])

    slope = np.array([at(e[i]) - at(-e[i]) for i in range(3)]) / (2 * h)
    curve = np.array(
        [
            [
                at(e[i], e[j]) - at(e[i], -e[j]) - at(-e[i], e[j]) + at(-e[i], -e[j])
                for j in range(3)
            ]
            for i in range(3)
        ]
    ) / (4 * h * h)
    step, gain = problem._newton(p)
    assert step[0] == pytest.approx(np.linalg.solve(-curve, slope), rel=1e-4)
    assert gain[0] == pytest.approx(slope @ step[0], rel=1e-4)


def test_the_hazard_far_out() -> None:
    t = np.array([-1e6, -40.0, -3.0, 0.0, 3.0])
    assert _tobit._hazard(t)[2:] == pytest.approx(norm.pdf(t[2:]) / norm.cdf(t[2:]), rel=1e-12)
    assert _tobit._hazard(t)[:2] == pytest.approx([1e6, 40.0 + 1 / 40.0], rel=1e-4)
