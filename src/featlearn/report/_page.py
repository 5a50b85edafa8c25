"""The page: one self-contained HTML file, from entries alone."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from featlearn.report._entry import Entry


def write_page(
    entries: Sequence[Entry], out: Path, *, title: str, system: Mapping[str, str]
) -> Path:
    """Write `out/index.html` and return its path."""
    raise NotImplementedError
