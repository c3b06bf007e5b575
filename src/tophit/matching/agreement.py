"""Where matching by text and matching by spans say different things."""

from __future__ import annotations

import narwhals as nw
import polars as pl

from tophit.matching.spans import span_hits
from tophit.matching.text import text_hits
from tophit.relations import CHUNK, DOC, END, ITEM, QUERY, RANK, SHARE, START, TEXT

WHOLE_BY = "whole_by"
SHARE_TEXT, SHARE_SPANS = "share_text", "share_spans"
_BOTH = (TEXT, DOC, START, END)


def disagreements(
    judgments: pl.DataFrame,
    retrieved: pl.DataFrame,
    *,
    exact: bool = False,
    strip_markup: bool = False,
) -> pl.DataFrame:
    """List the places that hold an item whole by its text or by its offsets, but not by both.

    Columns: query_id, item_id, chunk_id, rank, share_text, share_spans, and whole_by, which is
    "text" (a copy of the passage stands elsewhere, or the offsets are wrong) or "spans" (the text
    of the chunk was changed, or the label begins or ends inside a word). Only rows that have text,
    document and offsets on both sides are compared; `retrieved` is ranked.

    Errors: as `text_hits` and `span_hits`.

    >>> judged = pl.DataFrame({"query_id": ["q"], "item_id": ["e"], "grade": [1.0],
    ...     "text": ["red cat"], "doc_id": ["a"], "start": [10], "end": [17]})
    >>> run = pl.DataFrame({"query_id": ["q"], "chunk_id": ["c"], "rank": [1],
    ...     "text": ["A red cat."], "doc_id": ["b"], "start": [0], "end": [10]})
    >>> disagreements(judged, run).select("item_id", "rank", "whole_by").rows()
    [('e', 1, 'text')]
    """
    known = pl.all_horizontal(pl.col(name).is_not_null() for name in _BOTH)
    judged, places = judgments.filter(known), retrieved.filter(known)
    by_text = text_hits(judged, places, exact=exact, strip_markup=strip_markup)
    lazy = (nw.from_native(frame.lazy()) for frame in (judged, places))
    by_spans = span_hits(*lazy).collect().to_polars()
    keys = [QUERY, ITEM, CHUNK, RANK]
    both = (
        by_text.select(*keys, pl.col(SHARE).alias(SHARE_TEXT))
        .join(
            by_spans.select(*keys, pl.col(SHARE).alias(SHARE_SPANS)),
            on=keys,
            how="full",
            coalesce=True,
        )
        .with_columns(pl.col(SHARE_TEXT, SHARE_SPANS).fill_null(0.0))
    )
    text_whole, spans_whole = pl.col(SHARE_TEXT) == 1, pl.col(SHARE_SPANS) == 1
    which = pl.when(text_whole).then(pl.lit("text")).otherwise(pl.lit("spans"))
    return both.filter(text_whole != spans_whole).with_columns(which.alias(WHOLE_BY)).sort(keys)
