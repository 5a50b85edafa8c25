"""Times of rivals, taken in turns, so that a busy moment of the machine strikes all of them."""

import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any, NamedTuple

import jax

PAUSE = 0.3  # seconds before each turn: threads of the rival before stop spinning


class Spread(NamedTuple):
    """Median, least and most over the repetitions."""

    median: float
    least: float
    most: float


class Times(NamedTuple):
    """Seconds of each warm repetition, and of the first call, which compiles."""

    warm: tuple[float, ...]
    first: float

    @property
    def spread(self) -> Spread:
        return spread(self.warm)

    @property
    def compilation(self) -> float:
        """What the first call took beyond a warm one."""
        return max(self.first - median(self.warm), 0.0)

    def over(self, other: "Times") -> Spread:
        """Ratios to the other's times, repetition by repetition."""
        return spread([a / b for a, b in zip(self.warm, other.warm, strict=True)])


def spread(values: Any) -> Spread:
    return Spread(median(values), min(values), max(values))


def in_turns(rivals: Mapping[str, Callable[[], Any]], repetitions: int) -> dict[str, Times]:
    """Each rival once to warm up, then all of them in turn, `repetitions` times."""
    first = {name: seconds(run) for name, run in rivals.items()}
    warm: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(repetitions):
        for name, run in rivals.items():
            time.sleep(PAUSE)
            warm[name].append(seconds(run))
    return {name: Times(tuple(warm[name]), first[name]) for name in rivals}


def seconds(run: Callable[[], Any]) -> float:
    """One call, until its results are there."""
    start = time.perf_counter()
    jax.block_until_ready(run())
    return time.perf_counter() - start
