"""The best piece of an item in words: what the chunk holds, what is missing, what stands there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tophit.matching.text.hits import longest_pieces
from tophit.matching.text.normalize import normalize
from tophit.matching.text.origin import original_span
from tophit.settings import DEFAULT_FOLDING, Folding

_WORDS = 8
_CHARS = 80


@dataclass(frozen=True, kw_only=True)
class Excerpt:
    """The best piece of an element in a chunk, and the words around its two ends.

    `piece`, `missing_before` and `missing_after` are the element's own text; `chunk_before` and
    `chunk_after` what the chunk has there, after normalisation: empty where the chunk ends.

    >>> element = "It rose. The net income was 5 million."
    >>> excerpts([element], ["the net income was 5 thousand"])[0].missing_after
    'million.'
    """

    piece: str = ""
    missing_before: str = ""
    missing_after: str = ""
    chunk_before: str = ""
    chunk_after: str = ""

    @property
    def cut(self) -> str:
        """Where the chunk's own edge cuts the element: start, end, both, or neither (empty)."""
        edges = {"start": (self.missing_before, self.chunk_before),
                 "end": (self.missing_after, self.chunk_after)}  # fmt: skip
        found = [name for name, (missing, there) in edges.items() if missing and not there]
        return "both" if len(found) == 2 else "".join(found)

    @property
    def row(self) -> tuple[str, ...]:
        """The values in the order of `COLUMNS`."""
        pieces = (self.piece, self.missing_before, self.missing_after)
        return (*pieces, self.chunk_before, self.chunk_after, self.cut)


COLUMNS = {
    "piece": pl.String, "missing_before": pl.String, "missing_after": pl.String,
    "chunk_before": pl.String, "chunk_after": pl.String, "cut_at": pl.String,
}  # fmt: skip


def excerpts(
    elements: Sequence[str],
    chunks: Sequence[str],
    *,
    folding: Folding = DEFAULT_FOLDING,
) -> list[Excerpt]:
    """The best piece of each element in the chunk of the same number.

    >>> found = excerpts(["The red cat sat"], ["... on a red   CAT"])[0]
    >>> found.piece, found.missing_after, found.chunk_after, found.cut
    ('red cat', 'sat', '', 'end')
    """
    pairs = np.arange(len(elements))
    found = longest_pieces(elements, chunks, pairs, pairs, folding=folding)
    places = zip(
        found.element_start.tolist(),
        found.element_end.tolist(),
        found.chunk_start.tolist(),
        found.chunk_end.tolist(),
        strict=True,
    )
    return [
        _excerpt(element, chunk, place, folding=folding)
        for element, chunk, place in zip(elements, chunks, places, strict=True)
    ]


def _excerpt(
    element: str,
    chunk: str,
    place: tuple[int, int, int, int],
    *,
    folding: Folding,
) -> Excerpt:
    start, end, chunk_start, chunk_end = place
    if end == start:
        return Excerpt(missing_after=_first_words(element))
    first, last = original_span(element, start, end, folding=folding)
    there = normalize(chunk, folding=folding)
    return Excerpt(
        piece=element[first:last],
        missing_before=_last_words(element[:first]),
        missing_after=_first_words(element[last:]),
        chunk_before=_last_words(there[:chunk_start]),
        chunk_after=_first_words(there[chunk_end:]),
    )


def _first_words(text: str) -> str:
    """A few words, and no more than a line of them where there are no blanks.

    >>> _first_words("one two three four five six seven eight nine")
    'one two three four five six seven eight ...'
    """
    words = text.split()
    shown = " ".join(words[:_WORDS])
    if len(shown) > _CHARS:
        return f"{shown[:_CHARS]}..."
    return f"{shown} ..." if len(words) > _WORDS else shown


def _last_words(text: str) -> str:
    words = text.split()
    shown = " ".join(words[-_WORDS:])
    if len(shown) > _CHARS:
        return f"...{shown[-_CHARS:]}"
    return f"... {shown}" if len(words) > _WORDS else shown
