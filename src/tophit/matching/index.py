"""Which items any chunk of the whole index holds whole: what no retriever can exceed."""

from __future__ import annotations

import narwhals as nw

from tophit.errors import DataWarning
from tophit.matching.ways import WAYS, check_columns
from tophit.relations import CHUNK, GRADE, ITEM, QUERY, RANK, SHARE, TEXT, Lazy
from tophit.settings import DEFAULT_FOLDING, Folding


def index_hits(
    judgments: Lazy, chunks: Lazy, *, match: str, folding: Folding = DEFAULT_FOLDING
) -> Lazy:
    """Give a hit, at rank 1 and with share 1, for every item that some chunk holds whole.

    `chunks` are all chunks of the index. Text is searched in process (matching/search.py), ids and
    spans where the frames live: for spans one running maximum over the documents, not a look at
    every pair.
    Errors: `InputError` when the chunks lack what `match` needs.

    >>> import polars as pl
    >>> judged = {"query_id": ["q", "q"], "item_id": ["e1", "e2"], "grade": [1.0, 1.0],
    ...     "text": ["red cat", "blue bird"]}
    >>> index = {"chunk_id": ["c1"], "text": ["The red cat."]}
    >>> hits = index_hits(
    ...     nw.from_native(pl.LazyFrame(judged)), nw.from_native(pl.LazyFrame(index)), match="text"
    ... )
    >>> hits.select("item_id", "share").collect().rows()
    [('e1', 1.0)]
    """
    way = WAYS[match]
    check_columns(way, chunks.collect_schema().names(), file="chunks")
    held = way.held(judgments, chunks, folding)
    per_item = held.group_by(QUERY, ITEM).agg(nw.col(GRADE).max())
    return per_item.with_columns(nw.lit(1).cast(nw.Int64).alias(RANK), nw.lit(1.0).alias(SHARE))


def foreign_chunks(retrieved: Lazy, chunks: Lazy, *, match: str) -> tuple[DataWarning, ...]:
    """Warn (`not_in_index`) of retrieved chunks that the index does not have: it is of another run.

    Chunks are told by what is matched: text (but for white space at its ends), place or id.

    >>> import polars as pl
    >>> run = nw.from_native(pl.LazyFrame({"chunk_id": ["a", "b"], "text": ["one", "two"]}))
    >>> index = nw.from_native(pl.LazyFrame({"chunk_id": ["1"], "text": ["one "]}))
    >>> print(foreign_chunks(run, index, match="text")[0].message)
    1 of 2 retrieved chunks is not in the index that was given: is it the index of this run?
    """
    keys = list(WAYS[match].needs or (CHUNK,))
    columns = [nw.col(TEXT).str.strip_chars()] if match == "text" else [nw.col(n) for n in keys]
    ours, theirs = (side.select(*columns).drop_nulls().unique() for side in (retrieved, chunks))
    total = int(ours.select(nw.len()).collect().item())
    count = int(ours.join(theirs, on=keys, how="anti").select(nw.len()).collect().item())
    if count == 0:
        return ()
    message = (
        f"{count:,} of {total:,} retrieved chunks {'is' if count == 1 else 'are'} not in the index "
        "that was given: is it the index of this run?"
    )
    return (DataWarning(code="not_in_index", count=count, message=message),)
