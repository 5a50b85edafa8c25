"""Bounds, as the theory states them: at most, at least, between."""

import math
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["holds", "fails", "open", "measured"]


@dataclass(frozen=True)
class AtMost:
    """The statement 'the quantity is at most `value`'."""

    value: float

    def verdict(self, low: float, high: float) -> Verdict:
        if high <= self.value:
            return "holds"
        return "fails" if low > self.value else "open"

    def __str__(self) -> str:
        return f"≤ {self.value:g}"


@dataclass(frozen=True)
class AtLeast:
    """The statement 'the quantity is at least `value`'."""

    value: float

    def verdict(self, low: float, high: float) -> Verdict:
        if low >= self.value:
            return "holds"
        return "fails" if high < self.value else "open"

    def __str__(self) -> str:
        return f"≥ {self.value:g}"


@dataclass(frozen=True)
class Between:
    """The statement 'the quantity lies in [low, high]'."""

    low: float
    high: float

    def verdict(self, low: float, high: float) -> Verdict:
        if self.low <= low and high <= self.high:
            return "holds"
        return "fails" if high < self.low or low > self.high else "open"

    def __str__(self) -> str:
        return f"in [{self.low:g}, {self.high:g}]"


@dataclass(frozen=True)
class NoGrowth:
    """The statement 'the exponent is not positive, and certainly not `excluded`'.

    It holds if the interval reaches 0 or below and ends under `excluded`, and fails if all of it
    is positive; an interval that contains both is too wide to tell.
    """

    excluded: float

    def verdict(self, low: float, high: float) -> Verdict:
        if low > 0:
            return "fails"
        return "holds" if high < self.excluded else "open"

    def __str__(self) -> str:
        return f"reaches 0, excludes {self.excluded:g}"


Bound = AtMost | AtLeast | Between | NoGrowth


@dataclass(frozen=True)
class Measured:
    """A number with its interval and the number of seeds behind it."""

    value: float
    low: float
    high: float
    seeds: int

    def __post_init__(self) -> None:
        assert not (self.low > self.high), "an interval's ends are in order"

    @property
    def finite(self) -> bool:
        return math.isfinite(self.value)
