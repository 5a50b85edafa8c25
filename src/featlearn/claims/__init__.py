"""Claims and verdicts: what a statement predicts, what was measured, and what follows."""

from featlearn.claims._bounds import AtLeast, AtMost, Between, Bound, Measured
from featlearn.claims._finding import Finding, Verdict, judge, overall

__all__ = [
    "AtLeast",
    "AtMost",
    "Between",
    "Bound",
    "Finding",
    "Measured",
    "Verdict",
    "judge",
    "overall",
]
