"""One tested statement, and what a claim's findings add up to."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from featlearn.claims._bounds import AtLeast, AtMost, Between, Bound, Measured, NoGrowth, Verdict

Role = Literal["claim", "control", "measurement"]
_HOPELESS = 1e4  # times too wide: no number of seeds settles what lies on its bound


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A statement, the bound it predicts, what was measured, and the verdict.

    A control tests the statement with the mechanism removed: its verdict must be *fails*.
    A measurement has no bound and its verdict is *measured*.
    """

    claim: str
    role: Role
    label: str
    predicted: str
    measured: Measured
    verdict: Verdict
    more_seeds: int | None = None
    flags: tuple[str, ...] = ()
    note: str = ""

    @property
    def as_expected(self) -> bool:
        """False where `verify` must exit with 1: a claim fails, or a control holds."""
        return self.verdict != ("fails" if self.role == "claim" else "holds")


def judge(
    claim: str,
    label: str,
    measured: Measured,
    bound: Bound | None,
    *,
    role: Role = "claim",
    predicted: str | None = None,
    flags: tuple[str, ...] = (),
    note: str = "",
) -> Finding:
    """Compare an interval with a bound; without a bound, only report."""
    if bound is None:
        verdict: Verdict = "measured"
        role = "measurement"
    else:
        verdict = bound.verdict(measured.low, measured.high)
    return Finding(
        claim=claim,
        role=role,
        label=label,
        predicted=predicted if predicted is not None else str(bound or "—"),
        measured=measured,
        verdict=verdict,
        more_seeds=_seeds_to_settle(measured, bound) if bound and verdict == "open" else None,
        flags=flags,
        note=note,
    )


def overall(findings: Iterable[Finding]) -> Verdict:
    """The verdict of a claim: its worst finding, controls left aside."""
    verdicts = [f.verdict for f in findings if f.role == "claim"]
    for worst in ("fails", "open", "holds"):
        if worst in verdicts:
            return worst
    return "measured"


def _seeds_to_settle(measured: Measured, bound: Bound) -> int | None:
    """How many more seeds would shrink the interval, as 1/√seeds, to one side of the bound."""
    shrink = max(_reach_over_distance(measured, end) for end in _ends_in_the_way(measured, bound))
    if not shrink < _HOPELESS:
        return None
    return max(math.ceil(measured.seeds * shrink**2) - measured.seeds, 1)


def _ends_in_the_way(measured: Measured, bound: Bound) -> list[float]:
    """The ends that the interval must not reach: both from within, the nearer from outside."""
    if isinstance(bound, NoGrowth):
        return [bound.excluded]
    if not isinstance(bound, Between):
        return [bound.value]
    if bound.low <= measured.value <= bound.high:
        return [bound.low, bound.high]
    return [bound.low if measured.value < bound.low else bound.high]


def _reach_over_distance(measured: Measured, end: float) -> float:
    """How far the interval reaches towards an end, in units of the way there."""
    if end > measured.value:
        return (measured.high - measured.value) / (end - measured.value)
    if end < measured.value:
        return (measured.value - measured.low) / (measured.value - end)
    return math.inf  # on it, or not a number


__all__ = ["AtLeast", "AtMost", "Finding", "Role", "Verdict", "judge", "overall"]
