"""Drop the marks of Markdown and HTML, and keep the text between them.

Every rule looks only at the mark's own neighbourhood, so that a passage cut out of a page loses the
same marks as the page does. The rules are applied in order, each to what the one before left.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from functools import cache

Replace = Callable[[re.Match[str]], str]

_INLINE = (
    "a|abbr|b|bdi|bdo|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|"
    "sub|sup|tt|u|var|wbr"
)
_BLOCK = (
    "address|article|aside|audio|blockquote|body|br|button|caption|center|col|colgroup|dd|details|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|img|input|label|li|link|main|meta|"
    "nav|ol|option|p|picture|pre|section|select|source|summary|svg|table|tbody|td|template|textarea|tfoot|th|"
    "thead|time|title|tr|ul|video"
)
_ATTRIBUTES = r"(?:\s[^<>]*)?/?"
_LINK = r"!?\[([^\[\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)"


def _to(text: str) -> Replace:
    return lambda _: text


def _group(match: re.Match[str]) -> str:
    return match.group(1)


def _entity(match: re.Match[str]) -> str:
    return html.unescape(match.group())


_RULES: tuple[tuple[str, Replace], ...] = (
    # HTML
    (r"<!--(?:(?!<!--)[\s\S])*?-->", _to(" ")),
    (r"<(script|style)\b[^<>]*>(?:(?!<\1\b)[\s\S])*?</\1\s*>", _to(" ")),
    (rf"</?(?:{_INLINE}){_ATTRIBUTES}>", _to("")),
    (rf"</?(?:{_BLOCK}){_ATTRIBUTES}>", _to("\n")),
    (r"<!doctype[^<>]*>", _to("")),
    (r"<((?:https?://|mailto:)[^<>\s]+)>", _group),
    # Markdown: whole lines
    (r"^[ \t>]*(?:```|~~~)[^\n`]*$", _to("")),
    (
        r"^[ \t>]*\[[^\]\n]+\]:[ \t]*<?(?:\w+://|www\.|mailto:|\.{0,2}/|#)\S*"
        r"(?:[ \t]+[\"'(][^\n]*)?$",
        _to(""),
    ),
    (r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$", _to("")),
    (r"^[ \t>]*(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,}|={2,})$", _to("")),
    # Markdown: starts and ends of lines
    (r"^[ \t]*(?:>[ \t]?)+", _to("")),
    (r"^[ \t]*(?:[-*+][ \t]+(?:\[[ x]\][ \t]+)?|[\u2022\u25e6\u25aa\u2023][ \t]*)", _to("")),
    (r"^[ \t]*#{1,6}[ \t]+", _to("")),
    (r"[ \t]#+[ \t]*$", _to("")),
    # Markdown: inside lines
    (r"\[\^[^\]\s]+\]:?", _to("")),
    (_LINK, _group),
    (_LINK, _group),  # again, for an image inside a link
    (r"\[([^\[\]]+)\]\[[^\[\]]*\]", _group),
    (r"`+", _to("")),
    (r"(?<!\\)(?:(?<!\w)\*\*+|\*\*+(?!\d)|~~+)", _to("")),
    (r"(?<![\\\s*])\*(?![0-9a-z*])|(?<![\\0-9a-z*])\*(?![\s*])", _to("")),
    (r"(?<!\w)(?<!\\)_+(?=[^\W_])|(?<=[^\s_\\])_+(?!\w)", _to("")),
    (r"(?<!\\)\|", _to(" ")),
    (r"\\([!-/:-@\[-`{-~])", _group),
    # last, so that an escaped &lt;b&gt; stays text
    (r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", _entity),
)


@cache
def rules() -> tuple[tuple[re.Pattern[str], Replace], ...]:
    """The rules in order: a pattern, and what stands in its place.

    >>> len(rules()) > 20
    True
    """
    flags = re.MULTILINE | re.IGNORECASE
    return tuple((re.compile(pattern, flags), replace) for pattern, replace in _RULES)


def strip(text: str) -> str:
    """Drop marks of Markdown and HTML. Links and images keep their text, entities are resolved.

    Not dropped: numbers of list items and anything in angle brackets that is no HTML element.

    >>> strip("**Net** [income](http://x.y/z)&nbsp;was 4*2 <b>million</b> in `my_file`")
    'Net income\\xa0was 4*2 million in my_file'
    >>> strip("| a | b |\\n|---|---|\\n| 1 | 2 |").split()
    ['a', 'b', '1', '2']
    >>> strip("x <y> is 2**3 in __init__.py")
    'x <y> is 2**3 in init.py'
    """
    for pattern, replace in rules():
        text = pattern.sub(replace, text)
    return text
