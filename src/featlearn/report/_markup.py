"""HTML that cannot be broken by what it shows: text is escaped unless it is already markup."""

from collections.abc import Iterable
from html import escape

_EMPTY = frozenset({"br", "hr", "meta", "input"})  # elements without an end tag


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


Child = str | Iterable["Child"] | None


def html(*children: Child) -> Html:
    """The children one after another; plain text is escaped, None is nothing."""
    return Html("".join(_text(child) for child in children))


def tag(name: str, /, *children: Child, **attributes: str | bool | None) -> Html:
    """An element. `class_` and `data_label` become `class` and `data-label`; True stands alone."""
    start = name + "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _EMPTY:
        return Html(f"<{start}>")
    return Html(f"<{start}>{html(*children)}</{name}>")


def _text(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, str):
        return escape(child)
    return html(*child)


def _attribute(key: str, value: str | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(value)}"'
