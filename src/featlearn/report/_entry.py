"""One study as the page shows it: what was claimed, what was measured, and how to make it again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from featlearn.claims import Finding


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A study's section. `rows` are its cells as the store gives them, one row a cell.

    A column `state` (done, diverged, failed), where there is one, is counted on the page.
    `figure` is a pure function of `rows`; if it raises, the page says so in its place.
    """

    name: str
    statement: str
    source: str
    notes: str
    headline: bool
    order: int
    findings: list[Finding]
    rows: pd.DataFrame
    figure: Callable[[pd.DataFrame], Figure]
    command: str
    seconds: float
    tier: str
    seeds: int
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
