"""HTML made of nested calls: whatever is not markup already is text, and is escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from tophit.report.visible import visible

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_VOID = ("br", "link", "meta")
_SVG = ("rect",)


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def text(value: object) -> Html:
    """A value as text of a page: escaped, control characters as pictures.

    >>> text("a < b\\x00")
    'a &lt; b␀'
    """
    if isinstance(value, Html):
        return value
    return Html(html.escape(whole_characters(visible(str(value)))))


def whole_characters(value: str) -> str:
    """The text without halves of characters, which no file can hold.

    >>> whole_characters("a\\ud800b")
    'a�b'
    """
    return _LONE_SURROGATE.sub("\ufffd", value)


def tag(name: str, /, *children: object, **attributes: object) -> Html:
    """An element. None and False leave a child or an attribute out, True is an attribute alone.

    A name that Python reserves is written with `_` at its end, `data_x` gives `data-x`.

    >>> tag("p", "1 < 2", tag("br"), class_="note", hidden=True, id=None)
    '<p class="note" hidden>1 &lt; 2<br></p>'
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Html(f"<{name}{written}>")
    if name in _SVG:
        return Html(f"<{name}{written}/>")
    return Html(f"<{name}{written}>{joined(children)}</{name}>")


def joined(children: Iterable[object]) -> Html:
    """Elements and texts one after the other.

    >>> joined(["a", tag("b", "c"), None])
    'a<b>c</b>'
    """
    return Html("".join(text(child) for child in children if child is not None))


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(value)}"'
