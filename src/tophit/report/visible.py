"""What a terminal can take: no control characters, and lines of a width that tables fit into."""

from __future__ import annotations

_USUAL, _NARROWEST, _WIDEST = 80, 40, 140
_PICTURES = 0x2400  # where Unicode has a picture of each C0 control
_C0 = {code: _PICTURES + code for code in range(0x20) if chr(code) not in "\n\t"}
_TABLE = {**_C0, 0x7F: 0x2421, **dict.fromkeys(range(0x80, 0xA0), 0xFFFD)}


def visible(text: str) -> str:
    """The text with a picture for each C0 control and DEL, U+FFFD for each of C1.

    Line ends and tabs stay. Every character keeps one place.

    >>> visible("\\x1b[31mred\\x9b0m")
    '␛[31mred�0m'
    """
    return text.translate(_TABLE)


def usable_width(width: int) -> int:
    """How wide to print on a terminal that says it has `width` places; 0: it does not know.

    A narrower one than tables need wraps them itself, and no number is cut.

    >>> usable_width(100), usable_width(0), usable_width(20), usable_width(400)
    (100, 80, 40, 140)
    """
    return min(max(width, _NARROWEST), _WIDEST) if width > 0 else _USUAL
