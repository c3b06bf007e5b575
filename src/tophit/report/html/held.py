"""Which part of an item each shown place holds, in the texts as they were given."""

from __future__ import annotations

import numpy as np
import polars as pl

from tophit.matching.text.hits import longest_pieces
from tophit.matching.text.normalize import normalize
from tophit.matching.text.origin import trace
from tophit.relations import (
    CHUNK_END,
    CHUNK_START,
    ITEM,
    ITEM_END,
    ITEM_START,
    QUERY,
    RANK,
    SHARE,
    TEXT,
)
from tophit.settings import Folding, Settings

SPANS = (ITEM_START, ITEM_END, CHUNK_START, CHUNK_END)
_Origin = tuple[np.ndarray, np.ndarray]
_KEYS = [QUERY, ITEM, RANK]
_STRAY = 0.2  # less of an item is a few words that stand anywhere
_SPACES = np.array([9, 10, 11, 12, 13, 28, 29, 30, 31, 32])  # what `str.split` cuts at, in ASCII


def held_pieces(
    hits: pl.DataFrame, items: pl.DataFrame, places: pl.DataFrame, *, settings: Settings
) -> pl.DataFrame:
    """Give the relation `held` (see `Detail`) of the places that hold more than stray words.

    >>> items = pl.DataFrame({"query_id": ["q"], "item_id": ["e"], "alternative": [0],
    ...     "text": ["The fee is 8"]})
    >>> places = pl.DataFrame({"query_id": ["q"], "rank": [1], "text": ["So: the  FEE is 9."]})
    >>> hits = pl.DataFrame({"query_id": ["q"], "item_id": ["e"], "rank": [1], "share": [0.8]})
    >>> found = held_pieces(hits, items, places, settings=Settings(match="text"))
    >>> found.select("item_start", "item_end", "chunk_start", "chunk_end").row(0)
    (0, 10, 4, 15)
    """
    wanted = hits.filter(pl.col(SHARE) >= _STRAY).join(
        places.select(QUERY, RANK), on=[QUERY, RANK], how="semi"
    )
    if settings.match == "text":
        return _by_text(wanted, items, places, folding=settings.folding)
    known = [pl.col(name) if name in wanted.columns else _unknown(name) for name in SPANS]
    number = pl.lit(0, pl.Int64).alias("alternative")
    return wanted.select(*_KEYS, number, SHARE, *known).sort(QUERY, RANK, ITEM)


def _unknown(name: str) -> pl.Expr:
    return pl.lit(None, pl.Int64).alias(name)


def _by_text(
    hits: pl.DataFrame, items: pl.DataFrame, places: pl.DataFrame, *, folding: Folding
) -> pl.DataFrame:
    pairs = (
        hits.select(*_KEYS, SHARE)
        .join(places.select(QUERY, RANK, pl.col(TEXT).alias("_chunk")), on=[QUERY, RANK])
        .join(items.select(QUERY, ITEM, "alternative", TEXT), on=[QUERY, ITEM])
        .drop_nulls([TEXT, "_chunk"])
        .sort(QUERY, RANK, ITEM, "alternative")
    )
    elements, element = _distinct(pairs[TEXT])
    chunks, chunk = _distinct(pairs["_chunk"])
    found = longest_pieces(elements, chunks, element, chunk, folding=folding)
    best = pairs.drop(TEXT, "_chunk").with_columns(
        pl.Series("_element", element),
        pl.Series("_chunk", chunk),
        pl.Series("_share", found.share),
        pl.Series(ITEM_START, found.element_start),
        pl.Series(ITEM_END, found.element_end),
        pl.Series(CHUNK_START, found.chunk_start),
        pl.Series(CHUNK_END, found.chunk_end),
    )
    best = best.sort("_share", descending=True, maintain_order=True).unique(
        _KEYS, keep="first", maintain_order=True
    )
    return _as_given(best, elements, chunks, folding=folding).sort(QUERY, RANK, ITEM)


def _distinct(texts: pl.Series) -> tuple[list[str], np.ndarray]:
    known: dict[str, int] = {}
    numbers = [known.setdefault(text, len(known)) for text in texts]
    return list(known), np.array(numbers, dtype=np.int64)


def _as_given(
    best: pl.DataFrame, elements: list[str], chunks: list[str], *, folding: Folding
) -> pl.DataFrame:
    """The spans in the texts as they were given; each text is traced once."""
    origins: dict[tuple[str, int], _Origin] = {}

    def span(side: str, texts: list[str], number: int, start: int, end: int) -> tuple[int, int]:
        if end <= start:
            return 0, 0
        if (side, number) not in origins:
            origins[side, number] = _origin(texts[number], folding=folding)
        starts, ends = origins[side, number]
        return int(starts[start]), int(ends[end - 1])

    rows = best.select("_element", "_chunk", *SPANS).rows()
    spans = [
        (
            *span("element", elements, element, start, end),
            *span("chunk", chunks, chunk, first, last),
        )
        for element, chunk, start, end, first, last in rows
    ]
    given = pl.DataFrame(spans, schema=dict.fromkeys(SPANS, pl.Int64), orient="row")
    return best.select(*_KEYS, "alternative", SHARE).hstack(given)


def _origin(text: str, *, folding: Folding) -> _Origin:
    """Where each character of the normalised text begins and ends in the text as given.

    Most texts are plain: only letters and white space were folded, and the way back is short.

    >>> starts, ends = _origin(" A  cat", folding=Folding())
    >>> starts.tolist(), ends.tolist()
    ([1, 2, 4, 5, 6], [2, 4, 5, 6, 7])
    """
    if not text.isascii() or normalize(text, folding=folding) != " ".join(text.lower().split()):
        traced = trace(text, folding=folding)
        return traced.starts, traced.ends
    space = np.isin(np.frombuffer(text.encode("ascii"), dtype=np.uint8), _SPACES)
    words = np.flatnonzero(~space)
    first = np.flatnonzero(~space | ~np.append(True, space[:-1]))
    starts = first[(first >= words[0]) & (first <= words[-1])]
    return starts, np.append(starts[1:], words[-1] + 1)
