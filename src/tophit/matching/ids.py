"""Match by ids: the chunk's id, or its document's id, equals the item's id."""

from __future__ import annotations

import narwhals as nw

from tophit.ranking import RANK_BEST, RANK_WORST
from tophit.relations import CHUNK, DOC, GRADE, ITEM, QUERY, RANK, SHARE, Lazy

_CARRIED = (RANK_BEST, RANK_WORST, "tokens_through")


def id_hits(judgments: Lazy, retrieved: Lazy) -> Lazy:
    """Give the relation `hits` by equal ids; every share is 1.

    `retrieved` is ranked. An item's id is `judgments.chunk_id` where that column is and is not
    null, else `item_id`. Where the run has `doc_id`, an item may also name a whole document: every
    chunk of it then holds the item. Missing ids (null or empty) equal nothing.

    >>> import polars as pl
    >>> judged = pl.LazyFrame({"query_id": ["q"], "item_id": ["d1"], "grade": [1.0]})
    >>> run = pl.LazyFrame({"query_id": ["q", "q"], "chunk_id": ["d9", "d1"], "rank": [1, 2]})
    >>> hits = id_hits(nw.from_native(judged), nw.from_native(run))
    >>> hits.select("item_id", "rank", "share").collect().rows()
    [('d1', 2, 1.0)]
    """
    columns = retrieved.collect_schema().names()
    wanted = _wanted(judgments)
    carried = [name for name in _CARRIED if name in columns]
    places = retrieved.select(QUERY, CHUNK, RANK, *carried, *([DOC] if DOC in columns else []))
    hits = _joined(places, wanted, on=CHUNK, carried=carried)
    if DOC not in columns:
        return hits
    by_document = _joined(places, wanted, on=DOC, carried=carried)
    both = nw.concat([hits, by_document])
    return both.unique(subset=[QUERY, ITEM, CHUNK, RANK])


def _wanted(judgments: Lazy) -> Lazy:
    target = nw.col(ITEM)
    if CHUNK in judgments.collect_schema().names():
        target = nw.when(nw.col(CHUNK).is_null()).then(nw.col(ITEM)).otherwise(nw.col(CHUNK))
    return judgments.select(QUERY, ITEM, GRADE, target.alias("_target")).filter(
        nw.col("_target") != ""
    )


def _joined(places: Lazy, wanted: Lazy, *, on: str, carried: list[str]) -> Lazy:
    joined = places.join(wanted, left_on=[QUERY, on], right_on=[QUERY, "_target"], how="inner")
    return joined.select(QUERY, ITEM, CHUNK, RANK, GRADE, *carried, nw.lit(1.0).alias(SHARE))
