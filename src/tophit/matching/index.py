"""Which items any chunk of the whole index holds whole: what no retriever can exceed."""

from __future__ import annotations

import narwhals as nw
import polars as pl

from tophit.errors import DataWarning, Fault, InputError
from tophit.frames import to_engine
from tophit.matching.ids import TARGET, wanted
from tophit.matching.named import named_alike
from tophit.matching.text.search import Corpus
from tophit.relations import (
    CHUNK,
    DOC,
    END,
    GRADE,
    ITEM,
    QUERY,
    RANK,
    SHARE,
    START,
    TEXT,
    Lazy,
)
from tophit.settings import DEFAULT_FOLDING, Folding

_NEEDS = {"text": (TEXT,), "spans": (DOC, START, END), "ids": ()}


def index_hits(
    judgments: Lazy, chunks: Lazy, *, match: str, folding: Folding = DEFAULT_FOLDING
) -> Lazy:
    """Give a hit, at rank 1 and with share 1, for every item that some chunk holds whole.

    `chunks` are all chunks of the index. Text is searched in process (matching/search.py), ids and
    spans where the frames live: for spans one running maximum over the documents, not a look at
    every pair.
    Errors: `InputError` when the chunks lack what `match` needs.

    >>> judged = {"query_id": ["q", "q"], "item_id": ["e1", "e2"], "grade": [1.0, 1.0],
    ...     "text": ["red cat", "blue bird"]}
    >>> index = {"chunk_id": ["c1"], "text": ["The red cat."]}
    >>> hits = index_hits(
    ...     nw.from_native(pl.LazyFrame(judged)), nw.from_native(pl.LazyFrame(index)), match="text"
    ... )
    >>> hits.select("item_id", "share").collect().rows()
    [('e1', 1.0)]
    """
    columns = chunks.collect_schema().names()
    missing = [name for name in _NEEDS[match] if name not in columns]
    if missing:
        raise InputError(
            Fault(
                file="chunks",
                field=", ".join(missing),
                expected=f"for matching by {match}",
                found="nothing",
            )
        )
    if match == "ids":
        held = _held_ids(judgments, chunks)
    elif match == "spans":
        held = _held_spans(named_alike(judgments, chunks), chunks)
    else:
        held = _held_texts(judgments, chunks, folding=folding)
    per_item = held.group_by(QUERY, ITEM).agg(nw.col(GRADE).max())
    return per_item.with_columns(nw.lit(1).cast(nw.Int64).alias(RANK), nw.lit(1.0).alias(SHARE))


def foreign_chunks(retrieved: Lazy, chunks: Lazy, *, match: str) -> tuple[DataWarning, ...]:
    """Warn (`not_in_index`) of retrieved chunks that the index does not have: it is of another run.

    Chunks are told by what is matched: text (but for white space at its ends), place or id.

    >>> run = nw.from_native(pl.LazyFrame({"chunk_id": ["a", "b"], "text": ["one", "two"]}))
    >>> index = nw.from_native(pl.LazyFrame({"chunk_id": ["1"], "text": ["one "]}))
    >>> print(foreign_chunks(run, index, match="text")[0].message)
    1 of 2 retrieved chunks is not in the index that was given: is it the index of this run?
    """
    keys = {"text": [TEXT], "spans": [DOC, START, END], "ids": [CHUNK]}[match]
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


def _held_ids(judgments: Lazy, chunks: Lazy) -> Lazy:
    known = [name for name in (CHUNK, DOC) if name in chunks.collect_schema().names()]
    ids = nw.concat([chunks.select(nw.col(name).alias(TARGET)) for name in known]).unique()
    return wanted(judgments).join(ids, on=TARGET, how="semi")


def _held_spans(judgments: Lazy, chunks: Lazy) -> Lazy:
    """A chunk holds an item whole if of those that start no later one ends no earlier."""
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


def _held_texts(judgments: Lazy, chunks: Lazy, *, folding: Folding) -> Lazy:
    items = judgments.select(QUERY, ITEM, GRADE, TEXT).collect().to_polars()
    items = items.filter(pl.col(TEXT).is_not_null())
    texts = chunks.select(TEXT).unique().collect().to_polars()[TEXT].drop_nulls().to_list()
    elements = items[TEXT].unique(maintain_order=True)
    first = Corpus(texts=texts, folding=folding).first_whole(elements.to_list())
    whole = elements.filter(pl.Series(first >= 0))
    return to_engine(items.join(whole.to_frame(TEXT), on=TEXT, how="semi"), judgments)
