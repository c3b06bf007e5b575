"""Control characters made visible: a name or a question must not command the terminal."""

from __future__ import annotations

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
