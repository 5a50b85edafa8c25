"""Findings as a forest: each interval against the bound that the theory predicts."""

import math
import re
import textwrap
from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from featlearn.claims import Finding
from featlearn.errors import InvalidInputError
from featlearn.report._numbers import interval, number
from featlearn.report._verdicts import reading
from featlearn.report.figures._house import SMALL
from featlearn.report.figures._palette import (
    GREEN,
    GRID,
    INK,
    MUTED,
    PAPER,
    RULE,
    TONE_COLOURS,
)

_NUMBER = r"([-+−]?\d[\d.]*(?:e[-+]?\d+)?)"
_AT_MOST = re.compile("[≤<] *" + _NUMBER)
_AT_LEAST = re.compile("[≥>] *" + _NUMBER)
_BETWEEN = re.compile(r"\[ *" + _NUMBER + " *, *" + _NUMBER + r" *\]")
_MARKERS = {"holds": "o", "fails": "X", "open": "D", "measured": "s"}


def forest_panel(ax: Axes, findings: Sequence[Finding]) -> None:
    """One row a finding, each on its own scale: where it would hold, its interval, the verdict.

    The region is green for a claim and grey for a control, which must lie outside it.
    """
    if not findings:
        raise InvalidInputError("There are no findings to draw; judge the study first.")
    ax.set(xlim=(0, 1), ylim=(len(findings) - 0.45, -0.55), xticks=[])
    ax.grid(False)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.set_yticks(range(len(findings)), [_two_lines(_name(finding)) for finding in findings])
    for row, finding in enumerate(findings):
        _draw_row(ax, row, finding)


def allowed_region(predicted: str) -> tuple[float, float] | None:
    """The numbers that a prediction in words allows: '≤ 2' is (−∞, 2); None if it has none."""
    between = _BETWEEN.search(predicted)
    if between:
        return _value(between[1]), _value(between[2])
    at_most, at_least = _AT_MOST.search(predicted), _AT_LEAST.search(predicted)
    if not (at_most or at_least):
        return None
    return (
        _value(at_least[1]) if at_least else -math.inf,
        _value(at_most[1]) if at_most else math.inf,
    )


def _value(text: str) -> float:
    return float(text.replace("−", "-").rstrip("."))


def _draw_row(ax: Axes, row: int, finding: Finding) -> None:
    region = allowed_region(finding.predicted)
    low, high = _row_scale(finding, region)

    def place(value: float) -> float:
        return min(max((value - low) / (high - low), 0.0), 1.0)

    ax.add_patch(Rectangle((0, row - 0.3), 1, 0.6, color=GRID, linewidth=0, zorder=1))
    if region:
        _draw_region(ax, row, region, place, RULE if finding.role == "control" else GREEN)
    colour = TONE_COLOURS[reading(finding).tone]
    got = finding.measured
    if finding.measured.finite:
        ends = [place(got.low), place(got.high)]
        ax.plot(ends, [row, row], color=colour, linewidth=2.0, solid_capstyle="butt", zorder=3)
        _draw_open_ends(ax, row, finding, colour)
        ax.plot(place(got.value), row, _MARKERS[finding.verdict], color=colour, markersize=6,
                markeredgecolor=PAPER, markeredgewidth=0.8, zorder=4)  # fmt: skip
    else:
        ax.text(0.5, row, "no number", ha="center", va="center", fontsize=SMALL, color=MUTED)
    _draw_words(ax, row, finding, colour)


def _draw_region(
    ax: Axes,
    row: int,
    region: tuple[float, float],
    place: Callable[[float], float],
    colour: str,
) -> None:
    start, stop = place(region[0]), place(region[1])
    alpha = 0.16 if colour == GREEN else 0.55
    size = (stop - start, 0.6)
    ax.add_patch(Rectangle((start, row - 0.3), *size, color=colour, alpha=alpha, linewidth=0))
    for edge in region:
        if math.isfinite(edge):
            ax.plot([place(edge)] * 2, [row - 0.3, row + 0.3], color=INK, linewidth=0.9, zorder=2)


def _draw_open_ends(ax: Axes, row: int, finding: Finding, colour: str) -> None:
    for end, place, marker in (
        (finding.measured.low, 0.0, "<"),
        (finding.measured.high, 1.0, ">"),
    ):
        if math.isinf(end):
            ax.plot(place, row, marker, color=colour, markersize=5, clip_on=False, zorder=3.5)


def _draw_words(ax: Axes, row: int, finding: Finding, colour: str) -> None:
    got, verdict = finding.measured, reading(finding).words
    found = f"{verdict}: {number(got.value)} {interval(got.low, got.high)}"
    lines = [(found if got.finite else verdict, colour)]
    if finding.verdict != "measured":
        lines.append((f"predicted {finding.predicted}", MUTED))
    lifts = (9 / 2, -9 / 2) if len(lines) == 2 else (0.0,)
    for (text, shade), lift in zip(lines, lifts, strict=True):
        ax.annotate(_short(text, 52), (1, row), (8, lift), textcoords="offset points", va="center",
                    fontsize=SMALL, color=shade, annotation_clip=False)  # fmt: skip


def _row_scale(finding: Finding, region: tuple[float, float] | None) -> tuple[float, float]:
    """The row's ends: what was measured and what is allowed, with a sixth to spare."""
    got = finding.measured
    marks = [got.value, got.low, got.high, *(region or ())]
    marks = [mark for mark in marks if math.isfinite(mark)] or [0.0]
    low, high = min(marks), max(marks)
    spare = (high - low) / 6 or abs(high) / 6 or 1.0
    return low - spare, high + spare


def _name(finding: Finding) -> str:
    return f"control: {finding.label}" if finding.role == "control" else finding.label


def _two_lines(text: str) -> str:
    """A label in at most two lines of 38 letters."""
    return "\n".join(textwrap.wrap(text, 38, max_lines=2, placeholder=" …", break_on_hyphens=False))


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
