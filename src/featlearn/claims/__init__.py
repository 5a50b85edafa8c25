"""Claims and verdicts: what a statement predicts, what was measured, and what follows."""

from featlearn.claims._bounds import AtLeast, AtMost, Between, Bound, Measured, NoGrowth
from featlearn.claims._finding import Finding, Role, Verdict, judge, overall

__all__ = [
    "AtLeast",
    "AtMost",
    "Between",
    "Bound",
    "Finding",
    "Measured",
    "NoGrowth",
    "Role",
    "Verdict",
    "judge",
    "overall",
]
