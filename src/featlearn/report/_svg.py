"""A matplotlib figure as markup: the same bytes for the same figure, and no name outside its own.

Letters are drawn as shapes, so that the picture is the same where our fonts are missing.
"""

import io
import re
from collections.abc import Callable
from xml.etree import ElementTree

import matplotlib
from matplotlib.figure import Figure

from featlearn.report._markup import Html, html, tag

_COORDINATES = frozenset({"d", "x", "y"})  # in points: a hundredth cannot be seen
_LONG = re.compile(r"-?\d+\.\d{3,}(?:e[-+]?\d+)?")
_REFERENCE = re.compile(r"(url\(#|^#)([^)]*)")
_NO_METADATA = {"Creator": None, "Date": None, "Format": None, "Type": None}


def draw_svg(draw: Callable[[], Figure], prefix: str, title: str) -> Html:
    """The figure that `draw` gives, whatever matplotlib settings a reader has.

    Every id begins with `prefix`, so that several pictures can stand in one page.
    """
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({"svg.fonttype": "path", "svg.hashsalt": "featlearn"})
        figure = draw()
        width = figure.get_size_inches()[0]
        file = io.BytesIO()
        figure.savefig(file, format="svg", metadata=_NO_METADATA)
    root = ElementTree.fromstring(file.getvalue())
    _drop_unused_ids(root)
    return _picture(root, prefix, title, width)


def _drop_unused_ids(root: ElementTree.Element) -> None:
    """Matplotlib names every group; the names that nothing refers to are a third of the file."""
    values = [value for element in root.iter() for value in element.attrib.values()]
    used = {match[2] for value in values for match in _REFERENCE.finditer(value)}
    for element in root.iter():
        if element.get("id") not in used:
            element.attrib.pop("id", None)


def _picture(root: ElementTree.Element, prefix: str, title: str, width: float) -> Html:
    return tag(
        "svg",
        tag("title", title, id=f"{prefix}title"),
        [_element(child, prefix) for child in root],
        viewBox=root.get("viewBox"),
        role="img",
        aria_labelledby=f"{prefix}title",
        style=f"max-width:{width:g}in;stroke-linejoin:round;stroke-linecap:butt",
    )


def _element(element: ElementTree.Element, prefix: str) -> Html | None:
    """The element without namespaces; what speaks of the file as a whole is left out."""
    name = _local(element.tag)
    if name == "metadata" or (name == "defs" and _holds_only_style(element)):
        return None
    attributes = "".join(
        html(f" {_local(key)}=", Html('"'), _own(_local(key), value, prefix), Html('"'))
        for key, value in element.attrib.items()
    )
    inner = html([_element(child, prefix) for child in element], (element.text or "").strip())
    return Html(f"<{name}{attributes}>{inner}</{name}>")


def _holds_only_style(element: ElementTree.Element) -> bool:
    """Matplotlib's one rule for `*` would hold for the page; the root carries it instead."""
    return len(element) > 0 and all(_local(child.tag) == "style" for child in element)


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _own(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return prefix + value
    if name in _COORDINATES:
        return _LONG.sub(lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), value)
    return _REFERENCE.sub(lambda match: match[1] + prefix + match[2], value)
