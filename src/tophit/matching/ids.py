"""Match by ids: the chunk's id, or its document's id, equals the item's id."""

from __future__ import annotations

import narwhals as nw

from tophit.relations import (
    CARRIED,
    CHUNK,
    DOC,
    GRADE,
    ITEM,
    QUERY,
    RANK,
    SHARE,
    START,
    TEXT,
    Lazy,
)

TARGET = "_target"


def id_hits(judgments: Lazy, retrieved: Lazy) -> Lazy:
    """Give the relation `hits` by equal ids; every share is 1.

    `retrieved` is ranked. Where the run has `doc_id`, an item may also name a whole document: every
    chunk of it then holds the item. Missing ids (null or empty) equal nothing.

    >>> import polars as pl
    >>> judged = pl.LazyFrame({"query_id": ["q"], "item_id": ["d1"], "grade": [1.0]})
    >>> run = pl.LazyFrame({"query_id": ["q", "q"], "chunk_id": ["d9", "d1"], "rank": [1, 2]})
    >>> hits = id_hits(nw.from_native(judged), nw.from_native(run))
    >>> hits.select("item_id", "rank", "share").collect().rows()
    [('d1', 2, 1.0)]
    """
    columns = retrieved.collect_schema().names()
    items = wanted(judgments)
    carried = [name for name in CARRIED if name in columns]
    places = retrieved.select(QUERY, CHUNK, RANK, *carried, *([DOC] if DOC in columns else []))
    hits = _joined(places, items, on=CHUNK, carried=carried)
    if DOC not in columns:
        return hits
    both = nw.concat([hits, _joined(places, items, on=DOC, carried=carried)])
    return both.unique(subset=[QUERY, ITEM, RANK])


def wanted(judgments: Lazy) -> Lazy:
    """Give the ids to find, once each: query_id, item_id, grade and `_target`.

    The target is `judgments.chunk_id` where that column is and is not null, else `item_id`, unless
    the row is a text or a span: its item is not named by an id. Several targets of one item are
    alternatives. Missing ids (null or empty) are left out.

    >>> import polars as pl
    >>> judged = pl.LazyFrame({"query_id": ["q"] * 2, "item_id": ["d", "d"], "grade": [1.0, 1.0]})
    >>> wanted(nw.from_native(judged)).collect().rows()
    [('q', 'd', 'd', 1.0)]
    """
    columns = judgments.collect_schema().names()
    target = nw.col(ITEM)
    if CHUNK in columns:
        own = nw.col(CHUNK).is_null()
        for name in (TEXT, START):
            own = own & nw.col(name).is_null() if name in columns else own
        target = nw.when(own).then(nw.col(ITEM)).otherwise(nw.col(CHUNK))
    return (
        judgments.with_columns(target.alias(TARGET))
        .filter(nw.col(TARGET) != "")
        .group_by(QUERY, ITEM, TARGET)
        .agg(nw.col(GRADE).max())
    )


def held_ids(judgments: Lazy, chunks: Lazy) -> Lazy:
    """The items that name a chunk of the index, or one of its documents.

    >>> import polars as pl
    >>> judged = pl.LazyFrame({"query_id": ["q"], "item_id": ["d1"], "grade": [1.0]})
    >>> index = pl.LazyFrame({"chunk_id": ["c1"], "doc_id": ["d1"]})
    >>> found = held_ids(nw.from_native(judged), nw.from_native(index)).collect()
    >>> found["item_id"].to_list()
    ['d1']
    """
    known = [name for name in (CHUNK, DOC) if name in chunks.collect_schema().names()]
    ids = nw.concat([chunks.select(nw.col(name).alias(TARGET)) for name in known]).unique()
    return wanted(judgments).join(ids, on=TARGET, how="semi")


def _joined(places: Lazy, items: Lazy, *, on: str, carried: list[str]) -> Lazy:
    joined = places.join(items, left_on=[QUERY, on], right_on=[QUERY, TARGET], how="inner")
    return joined.select(QUERY, ITEM, CHUNK, RANK, GRADE, *carried, nw.lit(1.0).alias(SHARE))
