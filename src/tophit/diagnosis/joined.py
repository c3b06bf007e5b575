"""The chunks of a document joined again: does it hold what no chunk of it holds?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

import polars as pl

from tophit.relations import DOC, END, START, TEXT

# How far back an overlap of two chunks without offsets is looked for, and the least of it.
_LONGEST_OVERLAP = 4000
_SHORTEST_OVERLAP = 8


class Part(NamedTuple):
    """A chunk's text, and where it begins in its document if that is known."""

    text: str
    start: int | None


def joined_documents(chunks: pl.DataFrame) -> list[str]:
    """The text of every document of the index, put together from its chunks.

    Chunks with offsets go to their places. Others follow each other as they are listed, an overlap
    of two neighbours once; such a document is given twice, with and without blanks between the
    chunks, since a splitter may have cut inside a word. Without documents, all chunks are of one.

    >>> rows = {"doc_id": ["a", "a"], "text": ["The red", "cat"], "start": [0, 8], "end": [7, 11]}
    >>> joined_documents(pl.DataFrame(rows))
    ['The red cat']
    >>> joined_documents(pl.DataFrame({"text": ["The red c", "at sat"]}))
    ['The red c at sat', 'The red cat sat']
    """
    texts: list[str] = []
    for parts in _by_document(chunks):
        if all(part.start is not None for part in parts):
            texts.append(_placed(sorted(parts, key=lambda part: part.start or 0)))
        else:
            texts += [_listed(parts, between=" "), _listed(parts, between="")]
    return texts


def _by_document(chunks: pl.DataFrame) -> Iterator[list[Part]]:
    columns = chunks.columns
    rows = chunks.filter(pl.col(TEXT).is_not_null()).select(
        pl.col(DOC).fill_null("") if DOC in columns else pl.lit("").alias(DOC),
        TEXT,
        *(pl.col(name) if name in columns else pl.lit(None).alias(name) for name in (START, END)),
    )
    ordered = rows.sort(DOC, maintain_order=True).iter_rows()
    for _, group in groupby(ordered, key=lambda row: row[0]):
        yield [
            Part(text, start if start is not None and end - start == len(text) else None)
            for _, text, start, end in group
        ]


def _placed(parts: Iterable[Part]) -> str:
    pieces: list[str] = []
    reached = 0
    for text, start in parts:
        begin = start or 0
        if begin > reached:
            pieces.append(" ")
        pieces.append(text[max(0, reached - begin) :])
        reached = max(reached, begin + len(text))
    return "".join(pieces).strip()


def _listed(parts: Iterable[Part], *, between: str) -> str:
    pieces: list[str] = []
    last = ""
    for text, _ in parts:
        overlap = _overlap(last, text)
        pieces.append(text[overlap:] if overlap else between + text)
        last = text
    return "".join(pieces).strip()


def _overlap(left: str, right: str) -> int:
    """The length of the longest end of `left` that `right` begins with, 0 where it is chance."""
    left = left[-_LONGEST_OVERLAP:]
    head = right[:_SHORTEST_OVERLAP]
    if len(head) < _SHORTEST_OVERLAP:
        return 0
    at = left.find(head)
    while at >= 0:
        if right.startswith(left[at:]):
            return len(left) - at
        at = left.find(head, at + 1)
    return 0
