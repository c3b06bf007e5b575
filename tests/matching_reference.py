"""Matching by text, slow and obvious: what the fast way must agree with."""

from __future__ import annotations

import regex

_KATAKANA = r"\p{Word_Break=Katakana}"
_MARK = r"[\p{Word_Break=Extend}\p{Word_Break=Format}\p{Word_Break=ZWJ}]"
# The default rules of UAX #29 in the package `regex`; then also on both sides of any Katakana.
_BOUNDARY = regex.compile(rf"(?w)\b|(?={_KATAKANA})|(?<={_KATAKANA}{_MARK}*)(?!{_MARK})")


def boundaries(text: str) -> list[int]:
    """Every place where a word may begin or end, the edges among them."""
    return sorted({0, len(text), *(found.start() for found in _BOUNDARY.finditer(text))})


def best_piece(element: str, chunk: str) -> tuple[int, int, int, int]:
    """The longest run of whole words of a normalised element in a normalised chunk.

    Every run from a boundary to a boundary is looked for at every boundary of the chunk, longest
    first. Start and end in the element, start and end in the chunk; zeros where there is none.
    """
    ends = boundaries(element)
    there = set(boundaries(chunk))
    runs = sorted((a - b, a, b) for a in ends for b in ends if a < b)
    for _, start, end in runs:
        piece = element[start:end]
        cuts = boundaries(piece)
        if " " in (piece[: cuts[1]], piece[cuts[-2] :]):
            continue
        at = chunk.find(piece)
        while at >= 0:
            if at in there and at + len(piece) in there and same_words(piece, chunk, at):
                return start, end, at, at + len(piece)
            at = chunk.find(piece, at + 1)
    return 0, 0, 0, 0


def same_words(piece: str, chunk: str, at: int) -> bool:
    """Whether the piece is cut into the same words where it stands in the chunk."""
    inside = [cut - at for cut in boundaries(chunk) if at <= cut <= at + len(piece)]
    return inside == boundaries(piece)
