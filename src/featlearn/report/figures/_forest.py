"""Findings as a forest: each interval against the bound that the theory predicts."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from featlearn.claims import Finding


def forest_panel(ax: Axes, findings: Sequence[Finding]) -> None:
    """One row a finding, each on its own scale: allowed region, interval, verdict in colour."""
    raise NotImplementedError
