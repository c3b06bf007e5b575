"""What a splitter yields."""

from __future__ import annotations

from typing import NamedTuple


class Piece(NamedTuple):
    """A chunk of one document: its text and where it stands, in code points, end exclusive.

    `start` and `end` are None where the text is not verbatim in the document, `tokens` where the
    splitter did not count them.

    >>> Piece("two", 4, 7).text
    'two'
    """

    text: str
    start: int | None
    end: int | None
    tokens: int | None = None
