"""Match by spans: the same document, and offsets that overlap."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from tophit.errors import Fault, InputError
from tophit.relations import (
    CARRIED,
    CHUNK,
    CHUNK_END,
    CHUNK_START,
    DOC,
    END,
    GRADE,
    ITEM,
    ITEM_END,
    ITEM_LENGTH,
    ITEM_START,
    QUERY,
    RANK,
    SHARE,
    START,
    Lazy,
)

_FROM, _TO, _FIRST, _LAST, _LACK = "_from", "_to", "_first", "_last", "_lack"
_SHOWN = 1000


def span_hits(judgments: Lazy, retrieved: Lazy) -> Lazy:
    """Give the relation `hits` by overlapping offsets, on any engine.

    share = overlap / length of the item, in (0, 1]; 1 means whole. `retrieved` is ranked. Columns:
    query_id, item_id, chunk_id, rank, grade, share; item_start and item_end (the overlap, counted
    from the item's start), chunk_start and chunk_end (counted from the chunk's start), item_length;
    and the columns of the ranking. A row a query, item and place: of several alternatives of an
    item the one with the greatest share, then the first in the item, then the first in the chunk.
    Rows without document or offsets match nothing.

    Errors: `InputError` for negative offsets and for an end that is not after its start; it is
    looked for only where the frames are in process (not on Spark, where such rows match nothing).

    >>> import polars as pl
    >>> judged = {"query_id": ["q"], "item_id": ["e"], "grade": [1.0], "doc_id": ["a"],
    ...     "start": [10], "end": [20]}
    >>> run = {"query_id": ["q", "q"], "chunk_id": ["c1", "c2"], "rank": [1, 2],
    ...     "doc_id": ["a", "b"], "start": [4, 4], "end": [16, 30]}
    >>> judgments, retrieved = (nw.from_native(pl.LazyFrame(rows)) for rows in (judged, run))
    >>> found = span_hits(judgments, retrieved)
    >>> found.select("chunk_id", "share", "item_start", "item_end", "chunk_start").collect().rows()
    [('c1', 0.6, 0, 6, 6)]
    """
    faults = [*span_faults(judgments, name="questions"), *span_faults(retrieved, name="run")]
    if faults:
        raise InputError(faults)
    columns = retrieved.collect_schema().names()
    carried = [name for name in CARRIED if name in columns]
    # A missing offset must go before the overlap: the greatest of a number and null is the number.
    valid = (nw.col(START) >= 0) & (nw.col(START) < nw.col(END))
    places = retrieved.filter(valid).select(
        QUERY, CHUNK, RANK, *carried, DOC, *_offsets(START, END)
    )
    items = judgments.filter(valid).select(QUERY, ITEM, GRADE, DOC, *_offsets(_FROM, _TO))
    both = places.join(items, on=[QUERY, DOC], how="inner")
    first, last = nw.max_horizontal(START, _FROM), nw.min_horizontal(END, _TO)
    overlap = both.with_columns(first.alias(_FIRST), last.alias(_LAST)).filter(
        nw.col(_FIRST) < nw.col(_LAST)
    )
    length = nw.col(_TO) - nw.col(_FROM)
    hits = overlap.select(
        QUERY, ITEM, CHUNK, RANK, GRADE, *carried,
        ((nw.col(_LAST) - nw.col(_FIRST)).cast(nw.Float64) / length).alias(SHARE),
        (nw.col(_FIRST) - nw.col(_FROM)).alias(ITEM_START),
        (nw.col(_LAST) - nw.col(_FROM)).alias(ITEM_END),
        (nw.col(_FIRST) - nw.col(START)).alias(CHUNK_START),
        (nw.col(_LAST) - nw.col(START)).alias(CHUNK_END),
        length.alias(ITEM_LENGTH),
    )  # fmt: skip
    return _best_alternatives(hits) if _has_alternatives(judgments) else hits


def held_spans(judgments: Lazy, chunks: Lazy) -> Lazy:
    """The items that some chunk of the index holds whole.

    One running maximum over the documents, not a look at every pair: a chunk holds an item whole if
    of those that start no later one ends no earlier.

    >>> import polars as pl
    >>> judged = {"query_id": ["q"], "item_id": ["e"], "grade": [1.0], "doc_id": ["a"],
    ...     "start": [2], "end": [5]}
    >>> index = {"chunk_id": ["c"], "doc_id": ["a"], "start": [0], "end": [5]}
    >>> sides = (nw.from_native(pl.LazyFrame(rows)) for rows in (judged, index))
    >>> held_spans(*sides).collect()["item_id"].to_list()
    ['e']
    """
    items = judgments.filter(~nw.col(START).is_null()).select(
        QUERY, ITEM, GRADE, DOC, nw.col(START).cast(nw.Int64), nw.col(END).cast(nw.Int64)
    )
    nothing = nw.lit(None)
    starts = chunks.filter(~nw.col(START).is_null()).select(
        nothing.cast(nw.String).alias(QUERY), nothing.cast(nw.String).alias(ITEM),
        nothing.cast(nw.Float64).alias(GRADE), DOC,
        nw.col(START).cast(nw.Int64), nw.col(END).cast(nw.Int64),
        nw.lit(0).alias("_kind"), nw.col(END).cast(nw.Int64).alias("_reach"),
    )  # fmt: skip
    events = nw.concat(
        [
            starts,
            items.with_columns(nw.lit(1).alias("_kind"), nw.lit(-1).cast(nw.Int64).alias("_reach")),
        ]
    )
    reach = nw.col("_reach").cum_max().over(DOC, order_by=[START, "_kind"])
    held = events.with_columns(reach.alias("_reach"))
    return held.filter((nw.col("_kind") == 1) & (nw.col("_reach") >= nw.col(END)))


def _offsets(start: str, end: str) -> tuple[nw.Expr, nw.Expr]:
    return nw.col(START).cast(nw.Int64).alias(start), nw.col(END).cast(nw.Int64).alias(end)


def _best_alternatives(hits: Lazy) -> Lazy:
    order = [_LACK, ITEM_START, CHUNK_START, ITEM_LENGTH]
    return (
        hits.with_columns((-nw.col(SHARE)).alias(_LACK))
        .unique([QUERY, ITEM, RANK], keep="first", order_by=order)
        .drop(_LACK)
    )


def _has_alternatives(judgments: Lazy) -> bool:
    # Choosing among alternatives sorts all hits; most question sets have none.
    if judgments.implementation.is_spark_like():
        return True
    rows = judgments.group_by(QUERY, ITEM).agg(nw.len().alias("_rows"))
    return len(rows.filter(nw.col("_rows") > 1).head(1).collect()) > 0


def span_faults(relation: Lazy, *, name: str) -> list[Fault]:
    """Negative offsets, and ends that are not after their starts: the first 1000 of them.

    On Spark nothing is looked at, and the list is empty.

    >>> import polars as pl
    >>> rows = {"query_id": ["q"], "item_id": ["e"], "start": [7], "end": [7]}
    >>> print(span_faults(nw.from_native(pl.LazyFrame(rows)), name="run")[0])
    run, start, end: expected 0 <= start < end, found start 7, end 7 (query_id 'q', item_id 'e')
    """
    if relation.implementation.is_spark_like():
        return []
    start, end = nw.col(START), nw.col(END)
    names = [
        column for column in (QUERY, ITEM, CHUNK) if column in relation.collect_schema().names()
    ]
    wrong = relation.filter((start < 0) | (end <= start)).select(*names, START, END).head(_SHOWN)
    return [_fault(row, file=name) for row in wrong.collect().iter_rows(named=True)]


def _fault(row: dict[str, Any], *, file: str) -> Fault:
    whose = ", ".join(f"{key} {value!r}" for key, value in row.items() if key not in (START, END))
    found = f"start {row[START]}, end {row[END]} ({whose})"
    return Fault(file=file, field="start, end", expected="0 <= start < end", found=found)
