"""Matching by text, slow and obvious: what the fast way must agree with."""

from __future__ import annotations

from itertools import combinations, pairwise

import regex

_KATAKANA = r"\p{Word_Break=Katakana}"
_MARK = r"[\p{Word_Break=Extend}\p{Word_Break=Format}\p{Word_Break=ZWJ}]"
# The default rules of UAX #29 in the package `regex`; then also on both sides of any Katakana.
_BOUNDARY = regex.compile(rf"(?w)\b|(?={_KATAKANA})|(?<={_KATAKANA}{_MARK}*)(?!{_MARK})")


def boundaries(text: str) -> list[int]:
    """Every place where a word may begin or end, the edges among them."""
    return sorted({0, len(text), *(found.start() for found in _BOUNDARY.finditer(text))})


def best_piece(element: str, chunk: str) -> tuple[int, int, int, int]:
    """The longest run of whole words, or all of a long element that was cut inside a word."""
    start, end, *_ = found = best_run(element, chunk)
    size, at = len(element), chunk.find(element)
    long = sum(not part.isspace() for part in pieces(element)) >= 8
    if size / 2 < end - start < size and long and at >= 0:
        edges = [
            word for word in spans(chunk) for edge in (at, at + size) if word[0] < edge < word[1]
        ]
        if not any(char.isdigit() for first, last in edges for char in chunk[first:last]):
            return 0, size, at, at + size
    return found


def spans(text: str) -> list[tuple[int, int]]:
    """Every segment's start and end."""
    return list(pairwise(boundaries(text)))


def pieces(text: str) -> list[str]:
    """Every segment."""
    return [text[start:end] for start, end in spans(text)]


def best_run(element: str, chunk: str) -> tuple[int, int, int, int]:
    """The longest run of whole words of a normalised element in a normalised chunk.

    Every run from a boundary to a boundary is looked for at every boundary of the chunk, longest
    first. Start and end in the element, start and end in the chunk; zeros where there is none.
    """
    cuts, there = boundaries(element), boundaries(chunk)
    blanks = {cut for cut, end in pairwise(cuts) if element[cut:end] == " "}
    runs = [
        (start, end)
        for start, end in combinations(cuts, 2)
        if start not in blanks and end - 1 not in blanks
    ]
    for start, end in sorted(runs, key=lambda run: (run[0] - run[1], run[0])):
        piece = element[start:end]
        words = [cut - start for cut in cuts if start <= cut <= end]
        at = chunk.find(piece)
        while at >= 0:
            if words == [cut - at for cut in there if at <= cut <= at + len(piece)]:
                return start, end, at, at + len(piece)
            at = chunk.find(piece, at + 1)
    return 0, 0, 0, 0
