"""Numbers as they are read."""

import pytest

from featlearn.report._numbers import duration, interval, number, power_of_ten


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (0.01234, "0.0123"),
        (-2.5, "−2.5"),
        (999.6, "1\u2009000"),
        (1234.0, "1\u2009234"),
        (1.2e-6, "1.2·10⁻⁶"),
        (-1e-5, "−10⁻⁵"),
        (2e6, "2·10⁶"),
        (float("inf"), "∞"),
        (float("-inf"), "−∞"),
        (float("nan"), "—"),
    ],
)
def test_number(value, shown):
    assert number(value) == shown


def test_power_of_ten():
    assert [power_of_ten(x) for x in (1e4, 2e-3, -3e5, 0)] == ["10⁴", "2·10⁻³", "−3·10⁵", "0"]


def test_interval():
    assert interval(-1.5, float("inf")) == "[−1.5, ∞]"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.42, "0.4 s"),
        (9.97, "10.0 s"),
        (41.2, "41 s"),
        (59.7, "1 min 0 s"),
        (200, "3 min 20 s"),
        (7500, "2 h 5 min"),
        (float("nan"), "—"),
    ],
)
def test_duration(seconds, shown):
    assert duration(seconds) == shown
