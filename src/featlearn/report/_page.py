"""The page: one self-contained HTML file, from entries alone."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from featlearn.report._entry import Entry
from featlearn.report._file import write_whole
from featlearn.report._findings import FLAGS
from featlearn.report._markup import Html, html, tag
from featlearn.report._section import definitions, study_section
from featlearn.report._summary import Systems, counts, page_head, summary_table, system_name


def write_page(
    entries: Sequence[Entry], out: Path, *, title: str, system: Mapping[str, str]
) -> Path:
    """Write `out/index.html` and return its path. Equal entries give equal bytes."""
    return write_whole(Path(out) / "index.html", page(entries, title=title, system=system))


def page(entries: Sequence[Entry], *, title: str, system: Mapping[str, str]) -> str:
    """The page's text."""
    systems = _by_system(entries)
    shown = _studies(systems) if systems else _nothing_yet()
    body = [
        tag("header", page_head(title), counts(systems) if systems else None, class_="head"),
        tag("main", shown),
        tag("footer", _foot(systems, system), class_="foot"),
        tag("script", _asset("page.js")) if systems else None,
    ]
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", _asset("page.css")),
    ]
    document = tag("html", tag("head", head), tag("body", body), lang="en")
    return f"<!doctype html>\n{document}\n"


def _asset(name: str) -> Html:
    return Html(files("featlearn.report").joinpath(name).read_text(encoding="utf-8"))


def _by_system(entries: Sequence[Entry]) -> Systems:
    """Systems as they come; in each the headline studies first, then by order and name."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(entry.name.partition("/")[0], []).append(entry)
    anchors: set[str] = set()
    return {
        system: [
            (_anchor(entry.name, anchors), entry)
            for entry in sorted(group, key=lambda e: (not e.headline, e.order, e.name))
        ]
        for system, group in groups.items()
    }


def _anchor(name: str, taken: set[str]) -> str:
    """`study-representations-one-step`; numbered where a study is on the page twice."""
    stem = "study-" + "".join(letter if letter.isalnum() else "-" for letter in name.lower())
    anchor, count = stem, 1
    while anchor in taken:
        count += 1
        anchor = f"{stem}--{count}"
    taken.add(anchor)
    return anchor


def _studies(systems: Systems) -> Html:
    sections = [
        (tag("h2", system_name(system)), [study_section(*named) for named in group])
        for system, group in systems.items()
    ]
    return html(tag("h2", "All claims"), summary_table(systems), sections)


def _nothing_yet() -> Html:
    commands = "featlearn verify --headline\nfeatlearn report"
    return html(
        tag("p", "There is nothing to report yet: no study has been run. The headline claims take "
                 "a few minutes; then write this page again:"),
        tag("pre", tag("code", commands)),
    )  # fmt: skip


def _foot(systems: Systems, system: Mapping[str, str]) -> Html:
    used = {flag for group in systems.values() for _, e in group for f in e.findings
            for flag in f.flags}  # fmt: skip
    flags = {name: why for name, why in FLAGS.items() if name in used}
    return html(
        (tag("h2", "Flags"), definitions(flags)) if flags else None,
        (tag("h2", "System"), definitions(system)) if system else None,
    )
