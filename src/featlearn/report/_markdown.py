"""The markdown that notes are written in: paragraphs, headings, lists, tables, code, emphasis.

Links and raw HTML are shown as they are typed. A star is emphasis only where it cannot be a star:
`n*(d)` and `2 * 3` stay.
"""

import re
from collections.abc import Callable

from featlearn.report._markup import Html, html, tag

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*$")
_ITEM = re.compile(r"\s*(?:[-*+]|(\d+)[.)])\s+(.*)")
_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$")
_FENCE = re.compile(r"\s*(```|~~~)")
_BOUNDS = r"(?<![\w*]){0}(?=[^\s*]).+?(?<=[^\s*]){0}(?![A-Za-z0-9_*])"  # *α*² is one, n*(d) none
_STRONG, _EM = _BOUNDS.format(r"\*\*"), _BOUNDS.format(r"\*")
_SPANS = re.compile(rf"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)|(?P<strong>{_STRONG})|(?P<em>{_EM})")

_Block = tuple[Html, int]  # what it shows, and the line after it


def markdown(text: str, *, top: int = 4) -> Html:
    """The notes as markup; their highest heading becomes `h{top}`."""
    lines = text.expandtabs(4).splitlines()
    depths = [len(m[1]) for line in lines if (m := _HEADING.match(line))]
    lift = top - min(depths, default=1)
    blocks, at = [], 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        block, at = _reader(lines, at)(lines, at, lift)
        blocks.append(block)
    return html(blocks)


def inline(text: str) -> Html:
    """Emphasis and code within a line."""
    parts, at = [], 0
    for match in _SPANS.finditer(text):
        parts.append(html(text[at : match.start()]))
        parts.append(_span(match))
        at = match.end()
    return html(parts, text[at:])


def _span(match: re.Match[str]) -> Html:
    if match["code"] is not None:
        return tag("code", match["code"].strip())
    name = "strong" if match["strong"] else "em"
    stars = 2 if match["strong"] else 1
    return tag(name, inline(match[0][stars:-stars]))


def _reader(lines: list[str], at: int) -> Callable[[list[str], int, int], _Block]:
    """What kind of block begins here."""
    line = lines[at]
    if _FENCE.match(line):
        return _code
    if _HEADING.match(line):
        return _heading
    if "|" in line and at + 1 < len(lines) and _RULE.match(lines[at + 1]):
        return _table
    return _list if _ITEM.match(line) else _paragraph


def _heading(lines: list[str], at: int, lift: int) -> _Block:
    match = _HEADING.match(lines[at])
    assert match is not None
    return tag(f"h{min(len(match[1]) + lift, 6)}", inline(match[2])), at + 1


def _code(lines: list[str], at: int, lift: int) -> _Block:
    """Up to the closing fence, or to the end where there is none."""
    fence = lines[at].strip()[:3]
    stop = at + 1
    while stop < len(lines) and not lines[stop].strip().startswith(fence):
        stop += 1
    return tag("pre", tag("code", "\n".join(lines[at + 1 : stop]))), stop + 1


def _list(lines: list[str], at: int, lift: int) -> _Block:
    """Items of one level; a line that follows without a gap continues its item."""
    first = _ITEM.match(lines[at])
    assert first is not None
    numbered = first[1] is not None
    items: list[str] = []
    while at < len(lines) and lines[at].strip():
        item = _ITEM.match(lines[at])
        if item and (item[1] is not None) != numbered:
            break
        if item:
            items.append(item[2])
        elif _reader(lines, at) is _paragraph:
            items[-1] += " " + lines[at].strip()
        else:
            break
        at += 1
    return tag("ol" if numbered else "ul", [tag("li", inline(item)) for item in items]), at


def _table(lines: list[str], at: int, lift: int) -> _Block:
    head, sides = _cells(lines[at]), [_side(cell) for cell in _cells(lines[at + 1])]
    at += 2
    rows = []
    while at < len(lines) and "|" in lines[at]:
        rows.append(_cells(lines[at]))
        at += 1
    body = [_row("td", row, sides) for row in rows]
    table = tag("table", tag("thead", _row("th", head, sides)), tag("tbody", body))
    return tag("div", table, class_="scroll"), at


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _side(rule: str) -> str | None:
    return "number" if rule.endswith(":") else None


def _row(name: str, cells: list[str], sides: list[str | None]) -> Html:
    sides = sides + [None] * (len(cells) - len(sides))
    pairs = zip(cells, sides[: len(cells)], strict=True)
    return tag("tr", [tag(name, inline(cell), class_=side) for cell, side in pairs])


def _paragraph(lines: list[str], at: int, lift: int) -> _Block:
    """Up to an empty line, or to a block of another kind."""
    stop = at + 1
    while stop < len(lines) and lines[stop].strip() and _reader(lines, stop) is _paragraph:
        stop += 1
    return tag("p", inline(" ".join(line.strip() for line in lines[at:stop]))), stop
