"""How a verdict reads: a control that fails is as it should be, and one that holds is a defect."""

from dataclasses import dataclass
from typing import Literal

from featlearn.claims import Finding
from featlearn.report._numbers import number

Tone = Literal["good", "bad", "open", "plain"]


@dataclass(frozen=True)
class Reading:
    """A verdict in words, and whether it is what was hoped for."""

    words: str
    tone: Tone
    sign: str  # repeats the tone, for readers without colour


_CLAIMS = {
    "holds": Reading("holds", "good", "✓"),
    "fails": Reading("fails", "bad", "✗"),
    "open": Reading("open", "open", "?"),
    "measured": Reading("measured", "plain", "·"),
}
_CONTROLS = {
    "fails": Reading("fails, as it must", "good", "✓"),
    "holds": Reading("holds, but must fail", "bad", "✗"),
    "open": Reading("open, but must fail", "open", "?"),
    "measured": _CLAIMS["measured"],
}


def reading(finding: Finding) -> Reading:
    """What the finding's verdict says, given that a control must fail."""
    return (_CONTROLS if finding.role == "control" else _CLAIMS)[finding.verdict]


def settled_by(finding: Finding) -> str:
    """`about 12 more seeds would settle it`; empty where there is nothing to settle so."""
    more = finding.more_seeds
    if finding.verdict != "open" or not more:
        return ""
    return f"about {number(more)} more seed{'s' if more > 1 else ''} would settle it"
