"""What the studies of random targets read off the looks of a training."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from featlearn.claims import Measured
from featlearn.studies.hierarchy._cells import times

if TYPE_CHECKING:
    import pandas as pd


def looks_of(rows: "pd.DataFrame") -> tuple[int, ...]:
    """The steps at which these cells were measured; they are the same for all of them."""
    first = rows.iloc[0]
    return times({name: first[name] for name in ("steps", "looks", "first", "gaps")})


def before(at: Sequence[int], step: float) -> int:
    """The last look that is not later than `step`."""
    return max(t for t in at if t <= step)


def share(good: Any) -> Measured:
    """The part of the seeds of which something is true. It is about these seeds: no interval."""
    values = [bool(v) for v in good]
    part = sum(values) / len(values)
    return Measured(part, part, part, len(values))


def over_time(rows: "pd.DataFrame", columns: Mapping[str, str], start: int = 1) -> "pd.DataFrame":
    """One row for each look from `start` on: `columns` gives each series the name of a value.

    A name with a slash, `error_1/null_1`, is a ratio of two.
    """
    import pandas as pd

    parts = []
    for t in (t for t in looks_of(rows) if t >= start):
        for series, name in columns.items():
            above, _, below = name.partition("/")
            value = rows[f"{above}_{t}"]
            if below:
                value = value / rows[f"{below}_{t}"]
            parts.append(pd.DataFrame({"step": t, "value": value, "series": series}))
    return pd.concat(parts, ignore_index=True)
