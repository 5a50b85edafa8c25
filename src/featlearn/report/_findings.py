"""Findings as rows of a table: claim, predicted, measured [interval], verdict, seeds."""

import math
from collections.abc import Iterable

from featlearn.claims import Finding
from featlearn.report._markdown import inline
from featlearn.report._markup import Html, html, tag
from featlearn.report._numbers import interval, number
from featlearn.report._verdicts import reading, settled_by

COLUMNS = ("claim", "predicted", "measured [interval]", "verdict", "seeds")

FLAGS = {
    "width-limited": "The network's width, not the number of samples, limits the result.",
    "noise-floor": "The result is as good as the label noise allows, so a difference cannot show.",
    "grid edge": "The best value lies at the end of its grid; a longer grid might do better.",
    "diverged": "Some repetitions diverged. They are counted, and not averaged.",
}


def table_head() -> Html:
    """The columns' names."""
    cells = [tag("th", name, scope="col", class_=_side(name)) for name in COLUMNS]
    return tag("thead", tag("tr", cells))


def claims_then_controls(findings: Iterable[Finding]) -> list[Finding]:
    """The findings of each claim together, its controls beneath it."""
    findings = list(findings)
    order = list(dict.fromkeys(finding.claim for finding in findings))
    return sorted(findings, key=lambda f: (order.index(f.claim), f.role == "control"))


def finding_row(finding: Finding, *, detail: bool) -> Html:
    """One row; `detail` adds the note and the flags under the finding's name."""
    kinds = ["control"] if finding.role == "control" else []
    kinds += [] if finding.as_expected else ["defect"]
    prefix = "control: " if finding.role == "control" else ""
    more = _more(finding) if detail else None
    return tag(
        "tr",
        tag("td", prefix, inline(finding.label), more, class_="claim"),
        _cell("predicted", _predicted(finding)),
        _cell("measured", *_measured(finding)),
        _cell("verdict", _verdict(finding), class_="judged"),
        _cell("seeds", str(finding.measured.seeds), class_="number"),
        class_=" ".join(kinds) or None,
    )


def _cell(label: str, *children: Html | str, class_: str | None = None) -> Html:
    return tag("td", tag("span", children), class_=class_ or label, data_label=label)


def _side(column: str) -> str | None:
    return "number" if column == "seeds" else None


def _predicted(finding: Finding) -> str:
    return finding.predicted or "—"


def _measured(finding: Finding) -> tuple[str | Html, ...]:
    got = finding.measured
    if not got.finite:
        return ("no number" if math.isnan(got.value) else number(got.value),)
    return number(got.value), " ", tag("span", interval(got.low, got.high), class_="interval")


def _verdict(finding: Finding) -> Html:
    read, settled = reading(finding), settled_by(finding)
    sign = tag("span", read.sign, " ", aria_hidden="true")
    badge = tag("span", sign, read.words, class_=f"verdict {read.tone}")
    return html(badge, tag("span", settled, class_="more") if settled else None)


def _more(finding: Finding) -> Html:
    flags = [tag("span", flag, class_="flag", title=FLAGS.get(flag)) for flag in finding.flags]
    note = tag("span", inline(finding.note), class_="more") if finding.note else None
    return html(note, tag("span", flags, class_="more") if flags else None)
