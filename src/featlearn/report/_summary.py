"""The head of the page: what a verdict is, how many claims hold, and all of them in one table."""

from collections import Counter
from collections.abc import Mapping, Sequence

from featlearn.report._entry import Entry
from featlearn.report._findings import claims_then_controls, finding_row, table_head
from featlearn.report._markdown import inline
from featlearn.report._markup import Html, html, tag

VERDICT = (
    "A verdict compares a bound that the theory states with an interval measured over random "
    "seeds: a claim *holds* where the whole interval keeps the bound, *fails* where none of it "
    "does, and is *open* where the interval straddles it; a *control* is the same claim with the "
    "mechanism removed, and must fail."
)
HEADLINE = tag("span", "headline", class_="mark")

Systems = Mapping[str, Sequence[tuple[str, Entry]]]  # by system, each study with its anchor


def page_head(title: str) -> Html:
    """The title and the one sentence that the rest of the page relies on."""
    return html(tag("h1", title), tag("p", inline(VERDICT), class_="lead"))


def counts(systems: Systems) -> Html:
    """How many claims hold, fail and are open, and whether the controls do as they must."""
    findings = [f for group in systems.values() for _, entry in group for f in entry.findings]
    seen = Counter[tuple[str, str]]((f.role, f.verdict) for f in findings)
    shown = [
        _count(seen[role, verdict], *words)
        for (role, verdict), words in _COUNTED.items()
        if seen[role, verdict] or (role, verdict) in _ALWAYS
    ]
    return tag("ul", shown, class_="counts")


_COUNTED = {
    ("claim", "holds"): ("good", "claim holds", "claims hold"),
    ("claim", "fails"): ("bad", "claim fails", "claims fail"),
    ("claim", "open"): ("open", "open", "open"),
    ("control", "fails"): ("good", "control fails, as it must", "controls fail, as they must"),
    ("control", "holds"): ("bad", "control holds: a defect", "controls hold: a defect"),
    ("control", "open"): ("open", "control open", "controls open"),
    ("measurement", "measured"): ("plain", "measured only", "measured only"),
}
_ALWAYS = (("claim", "holds"), ("claim", "fails"), ("claim", "open"), ("control", "fails"))


def _count(number: int, tone: str, one: str, many: str) -> Html:
    words = one if number == 1 else many
    return tag("li", tag("b", str(number)), words, class_=tone if number else "none")


def summary_table(systems: Systems) -> Html:
    """Every finding: claim, predicted, measured, verdict, seeds; controls beneath their claims."""
    bodies = [
        tag("tbody", _system_row(system) if first else None, _study_rows(anchor, entry))
        for system, group in systems.items()
        for first, (anchor, entry) in zip([True, *[False] * len(group)], group, strict=False)
    ]
    return tag("table", table_head(), bodies, class_="findings")


def system_name(system: str) -> str:
    """`beyond_kernels` as a heading: Beyond kernels."""
    words = system.replace("_", " ").replace("-", " ").strip()
    return words[:1].upper() + words[1:]


def _system_row(system: str) -> Html:
    return tag("tr", tag("th", system_name(system), colspan="5", scope="colgroup"), class_="system")


def _study_rows(anchor: str, entry: Entry) -> Html:
    link = tag("a", entry.name, href=f"#{anchor}")
    said = tag("span", inline(entry.statement), class_="said")
    head = tag("th", link, HEADLINE if entry.headline else None, said, colspan="5",
               scope="rowgroup")  # fmt: skip
    rows = [finding_row(f, detail=False) for f in claims_then_controls(entry.findings)]
    if not rows:
        rows = [tag("tr", tag("td", "No findings: see the study.", colspan="5", class_="soft"))]
    return html(tag("tr", head, class_="study"), rows)
