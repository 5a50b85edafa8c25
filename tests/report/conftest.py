"""Entries with invented rows, as studies give them."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from featlearn.claims import AtLeast, AtMost, Measured, judge
from featlearn.report import Entry
from featlearn.report.figures import curve_panel, new_figure

NOTES = """## What it measures
The **excess risk** against `n`; never <script>alert("x")</script>.

| learner | grid |
| --- | ---: |
| one step | 100 |

## What it cannot tell
Why.

## Example
```
featlearn run toy/one --set dim=8
```
"""


def curve_rows() -> pd.DataFrame:
    """Two learners, three sizes, four repetitions; one diverged, one failed."""
    draws = np.random.default_rng(0).uniform(0.9, 1.1, size=(2, 3, 4))
    rows = [
        {"learner": name, "n": n, "repetition": s, "error": draws[i, j, s] * level / n}
        for i, (name, level) in enumerate([("one step", 10.0), ("NTK", 90.0)])
        for j, n in enumerate([16, 64, 256])
        for s in range(4)
    ]
    frame = pd.DataFrame(rows).assign(state="done")
    frame.loc[3, ["error", "state"]] = [np.nan, "diverged"]
    frame.loc[7, ["error", "state"]] = [np.nan, "failed"]
    return frame


def curve_figure(rows: pd.DataFrame) -> Figure:
    figure, (ax,) = new_figure()
    curve_panel(ax, rows, "n", "error", "learner")
    return figure


def toy_findings(claim: str):
    """A claim that holds, one that is open, a control that fails and one that holds."""

    def found(label, value, low, high, bound, **more):
        return judge(claim, label, Measured(value, low, high, 8), bound, **more)

    return [
        found("exponent of n*(d)", 1.61, 1.5, 1.72, AtMost(2), flags=("grid edge",), note="λ *is*"),
        found("without the step", 0.98, 0.9, 1.1, AtMost(0.5), role="control"),
        found("risk of the <NTK>", 0.5, 0.3, 0.7, AtLeast(0.4)),
        found("with every step", 0.2, 0.1, 0.3, AtMost(0.5), role="control"),
    ]


@pytest.fixture
def make_entry():
    """An entry by name, with anything in it replaced."""

    def make(name="toy/one", **changes) -> Entry:
        base = {
            "name": name,
            "statement": f"Statement of {name} & more.",
            "source": "slides, page 4",
            "notes": NOTES,
            "headline": False,
            "order": 1,
            "findings": toy_findings(name),
            "rows": curve_rows(),
            "figure": curve_figure,
            "command": f"featlearn run {name} --set dim=8 --set 'kind=a b'",
            "seconds": 200.0,
            "tier": "quick",
            "seeds": 4,
            "settings": {"dim": 8, "sizes": (16, 64, 256), "rate": 1.5e-05, "fast": True},
            "versions": {"python": "3.12.1", "jax": "0.11.0"},
        }
        return Entry(**(base | changes))

    return make
