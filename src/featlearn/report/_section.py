"""A study's section: what it states, its figure, its findings, how to make it again."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from matplotlib.figure import Figure

from featlearn.report._entry import Entry
from featlearn.report._findings import claims_then_controls, finding_row, table_head
from featlearn.report._markdown import inline, markdown
from featlearn.report._markup import Html, html, tag
from featlearn.report._numbers import duration
from featlearn.report._summary import HEADLINE
from featlearn.report._svg import draw_svg
from featlearn.report.figures import forest_panel, new_figure

_log = logging.getLogger(__name__)

_ROW = 0.42  # inches that a finding takes in the forest


def study_section(anchor: str, entry: Entry) -> Html:
    """The whole section; `anchor` is its id, and begins every id within it."""
    return tag(
        "section",
        tag("h3", entry.name, HEADLINE if entry.headline else None),
        tag("p", inline(entry.statement), class_="statement"),
        tag("p", "Source: ", inline(entry.source), class_="source soft"),
        _figure(anchor, entry),
        _findings(anchor, entry),
        tag("div", markdown(entry.notes), class_="notes"),
        _again(anchor, entry),
        id=anchor,
        class_="study",
    )


def _figure(anchor: str, entry: Entry) -> Html:
    def draw() -> Figure:
        return entry.figure(entry.rows)

    return _picture(draw, f"{anchor}-figure-", f"Figure of {entry.name}: {entry.statement}")


def _findings(anchor: str, entry: Entry) -> Html:
    findings = claims_then_controls(entry.findings)
    if not findings:
        return tag("p", "There are no findings: the study was not judged.", class_="lost")

    def draw() -> Figure:
        figure, (ax,) = new_figure(height=0.25 + _ROW * len(findings))
        forest_panel(ax, findings)
        return figure

    title = "; ".join(f"{f.label}: {f.verdict}" for f in findings)
    caption = (
        "Each finding on its own scale: the numbers at which the statement would hold are shaded, "
        "the interval is a line. A control must lie outside."
    )
    rows = [finding_row(finding, detail=True) for finding in findings]
    return html(
        _picture(draw, f"{anchor}-forest-", f"Findings of {entry.name}. {title}", caption),
        tag("table", table_head(), tag("tbody", rows), class_="findings"),
    )


def _picture(draw: Callable[[], Figure], prefix: str, title: str, caption: str = "") -> Html:
    """A figure on its card, or a sentence that says why there is none."""
    try:
        drawn = draw_svg(draw, prefix, title)
    except Exception as error:
        _log.debug("%s: no figure", prefix, exc_info=True)
        why = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return tag("p", f"The figure could not be drawn ({why}).", class_="lost")
    words = tag("figcaption", caption) if caption else None
    return tag("figure", tag("div", drawn, class_="card"), words)


def _again(anchor: str, entry: Entry) -> Html:
    """How the numbers came about, and the command that makes them again."""
    code = f"{anchor}-command"
    facts = [
        _cells(entry),
        f"{duration(entry.seconds)} of computing",
        f"tier {entry.tier}",
        f"{entry.seeds} seed{'' if entry.seeds == 1 else 's'}",
    ]
    button = tag("button", "Copy", type="button", hidden=True, data_copies=code,
                 aria_label=f"Copy the command for {entry.name}")  # fmt: skip
    return html(
        tag("p", "Make it again", class_="again-title"),
        tag("div", tag("pre", tag("code", entry.command, id=code)), button, class_="again"),
        tag("p", [tag("span", fact) for fact in facts], class_="facts"),
        _details("Settings", entry.settings),
        _details("Versions", entry.versions),
    )


def _cells(entry: Entry) -> str:
    """`60 cells done, 3 diverged, 1 failed`."""
    count = len(entry.rows)
    if "state" not in entry.rows.columns:
        return f"{count} cell{'' if count == 1 else 's'}"
    states = {str(state): int(n) for state, n in entry.rows["state"].value_counts().items()}
    done = states.pop("done", 0)
    others = [f"{states.pop(name, 0)} {name}" for name in ("diverged", "failed")]
    others += [f"{n} {name}" for name, n in sorted(states.items())]
    return ", ".join([f"{done} cell{'' if done == 1 else 's'} done", *others])


def _details(name: str, table: Mapping[str, Any]) -> Html | None:
    return tag("details", tag("summary", name), definitions(table)) if table else None


def definitions(table: Mapping[str, Any]) -> Html:
    """Names and values, one line each."""
    return tag("dl", [(tag("dt", str(k)), tag("dd", _value(v))) for k, v in table.items()])


def _value(value: Any) -> str:
    """A setting as it is, to every digit."""
    if isinstance(value, list | tuple):
        return ", ".join(map(_value, value)) or "none"
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    return str(value)
