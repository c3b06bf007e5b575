"""What the index and the documents hold of each item: whole, in parts, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from tophit.diagnosis.sources import OVER_CHUNKS, Named, Sources
from tophit.documents import resolve_doc_ids
from tophit.errors import Fault, InputError
from tophit.matching.ids import TARGET
from tophit.outcomes import (
    DIFFERENCE,
    ELSEWHERE,
    HELD,
    IN_DOCUMENTS,
    IN_INDEX,
    IN_PARTS,
    LETTERS,
    STANDS,
    STANDS_IN,
)
from tophit.relations import CHUNK, DOC, END, ITEM, QUERY, START, TEXT

INDEX_SHARE = "index_share"
INDEX_CHUNK = "index_chunk"
FACTS = {
    IN_INDEX: pl.Boolean, IN_PARTS: pl.Boolean, IN_DOCUMENTS: pl.Boolean,
    INDEX_SHARE: pl.Float64, INDEX_CHUNK: pl.String,
    STANDS: pl.String, STANDS_IN: pl.String, HELD: pl.Float64, DIFFERENCE: pl.String,
}  # fmt: skip
_STAND = (STANDS, STANDS_IN, HELD, DIFFERENCE)
# A chunk that holds so much of an item shows that its document was split.
_HALF = 0.5
_NEEDS = {"text": (TEXT,), "spans": (DOC, START, END), "ids": ()}


def facts_about(items: pl.DataFrame, sources: Sources) -> pl.DataFrame:
    """Say of every item what the index and the documents hold; null is unknown.

    `items` has a row an alternative: query_id, item_id, and what `sources.match` needs. Columns
    out: query_id, item_id, in_index, in_parts, in_documents, index_share (the most that one chunk
    holds) and index_chunk (which one); and how the text of what is whole nowhere stands there:
    stands, stands_in, held, difference (stands.py).
    Errors: `InputError` when the chunks lack what the match needs.

    >>> items = pl.DataFrame({"query_id": ["q"], "item_id": ["e"], "text": ["the red cat"]})
    >>> chunks = pl.DataFrame({"chunk_id": ["1", "2"], "text": ["See the red", "cat sit."]})
    >>> facts_about(items, Sources(match="text", chunks=chunks)).row(0)[:7]
    ('q', 'e', False, True, None, 0.6363636363636364, '1')
    """
    _check(sources)
    makers = {"text": _by_text, "spans": _by_spans, "ids": _by_ids}
    facts = makers[sources.match](items, sources)
    return facts.group_by(QUERY, ITEM, maintain_order=True).agg(
        pl.col(IN_INDEX, IN_PARTS, IN_DOCUMENTS).any(ignore_nulls=False),
        pl.col(INDEX_SHARE).max(),
        pl.col(INDEX_CHUNK).sort_by(INDEX_SHARE, descending=True, nulls_last=True).first(),
        pl.col(_STAND).sort_by(HELD, descending=True, nulls_last=True).first(),
    )


def _check(sources: Sources) -> None:
    columns = [] if sources.chunks is None else sources.chunks.columns
    missing = [name for name in _NEEDS[sources.match] if name not in columns]
    if sources.chunks is not None and missing:
        expected = f"for matching by {sources.match}"
        raise InputError(
            Fault(file="chunks", field=", ".join(missing), expected=expected, found="nothing")
        )


def _with(items: pl.DataFrame, facts: Mapping[str, Any]) -> pl.DataFrame:
    """Add facts as columns, those that are unknown as nulls."""
    columns = [
        pl.Series(name, facts[name], dtype=kind)
        if name in facts
        else pl.lit(None, kind).alias(name)
        for name, kind in FACTS.items()
    ]
    return items.with_columns(columns)


# ------------------------------------------------------------------------------ text


def _by_text(items: pl.DataFrame, sources: Sources) -> pl.DataFrame:
    elements = items[TEXT].drop_nulls().unique(maintain_order=True)
    facts = pl.DataFrame({TEXT: elements}).with_columns(
        [pl.lit(None, kind).alias(name) for name, kind in FACTS.items()]
    )
    if sources.chunks is not None:
        facts = _in_index(facts, sources)
    if sources.documents is not None:
        first = sources.library.corpus.first_whole(elements.to_list())
        facts = facts.with_columns(pl.Series(IN_DOCUMENTS, first >= 0))
    joined = items.join(facts, on=TEXT, how="left")
    if sources.chunks is not None:
        joined = _indexed_documents(joined, sources)
    return _standing(joined, sources)


def _standing(facts: pl.DataFrame, sources: Sources) -> pl.DataFrame:
    """Say how the text of what is whole nowhere, and not cut, stands in the index or documents."""
    nowhere = ~pl.any_horizontal(pl.col(IN_INDEX, IN_PARTS).fill_null(False))
    lost = nowhere & ~pl.col(IN_DOCUMENTS).fill_null(False)
    if sources.chunks is not None:
        facts = with_stands(facts, nowhere, sources.index)
    if sources.documents is not None:
        return with_stands(facts, lost, sources.library)
    if sources.chunks is None:
        return facts
    # without the documents, letters that only chunks together have show a cut
    told = with_stands(facts, lost, sources.joined)
    over = (pl.col(STANDS_IN) == OVER_CHUNKS) & (pl.col(STANDS) == LETTERS)
    return told.with_columns((pl.col(IN_PARTS) | over.fill_null(False)).alias(IN_PARTS))


def with_stands(
    facts: pl.DataFrame, rows: pl.Expr, named: Named, *, cut: bool = True
) -> pl.DataFrame:
    """Fill in how the texts of these rows stand in a corpus, where that is not known yet."""
    open_ = rows & pl.col(STANDS).is_null() & pl.col(TEXT).is_not_null()
    texts = facts.filter(open_)[TEXT].unique(maintain_order=True).to_list()
    stands = [
        (text, stand.kind, named.names[stand.number], stand.held, stand.difference)
        for text, stand in zip(texts, named.searched.stands(texts, cut=cut), strict=True)
        if stand is not None
    ]
    if not stands:
        return facts
    columns = {TEXT: pl.String} | {f"_{name}": FACTS[name] for name in _STAND}
    found = pl.DataFrame(stands, schema=columns, orient="row")
    joined = facts.join(found, on=TEXT, how="left", maintain_order="left")
    return joined.with_columns(
        pl.when(open_).then(f"_{name}").otherwise(name).alias(name) for name in _STAND
    ).drop([f"_{name}" for name in _STAND])


def _in_index(facts: pl.DataFrame, sources: Sources) -> pl.DataFrame:
    ids = [None, *sources.index.names]  # so that -1 + 1 is none
    elements = facts[TEXT].to_list()
    chunk = sources.index.corpus.first_whole(elements)
    share = np.where(chunk >= 0, 1.0, 0.0)
    parts = chunk >= 0
    left = np.flatnonzero(chunk < 0)
    if len(left):
        cut = [elements[number] for number in left.tolist()]
        chunk[left], share[left] = sources.index.corpus.best_parts(cut)
        parts[left] = sources.joined.corpus.first_whole(cut) >= 0
    return facts.with_columns(
        pl.Series(IN_INDEX, share >= 1.0),
        pl.Series(IN_PARTS, parts),
        pl.Series(INDEX_SHARE, share),
        pl.Series(INDEX_CHUNK, [ids[number + 1] for number in chunk.tolist()], dtype=pl.String),
    )


def _indexed_documents(facts: pl.DataFrame, sources: Sources) -> pl.DataFrame:
    """What a document holds is in parts in the index if this document was indexed at all.

    Where the names of the documents do not say, half of the item in one chunk does.
    """
    split = pl.col(INDEX_SHARE) >= _HALF
    chunks = sources.chunks
    if DOC in facts.columns and chunks is not None and DOC in chunks.columns:
        known = resolve_doc_ids(facts[DOC].drop_nulls(), chunks[DOC].drop_nulls())
        indexed = pl.col(DOC).is_in([doc for doc, found in known.items() if found is not None])
        split = pl.when(pl.col(DOC).is_null()).then(split).otherwise(indexed)
    known_parts = pl.col(IN_PARTS) | (pl.col(IN_DOCUMENTS).fill_null(False) & split)
    return facts.with_columns(known_parts.alias(IN_PARTS))


# ------------------------------------------------------------------------------ spans


def _by_spans(items: pl.DataFrame, sources: Sources) -> pl.DataFrame:
    facts = _with(items, {})
    if sources.chunks is not None:
        facts = _overlapping(items, sources.chunks)
    if sources.documents is not None:
        sizes = sources.documents.frame.select(DOC, pl.col(TEXT).str.len_chars().alias("_size"))
        named = resolve_doc_ids(facts[DOC].drop_nulls(), sizes[DOC])
        size = pl.col(DOC).replace_strict(named, default=None, return_dtype=pl.String)
        facts = facts.with_columns(size.alias("_named")).join(
            sizes, left_on="_named", right_on=DOC, how="left"
        )
        inside = (pl.col(END) <= pl.col("_size")).fill_null(False)
        facts = facts.with_columns(inside.alias(IN_DOCUMENTS))
    return _elsewhere(facts, sources) if TEXT in items.columns else facts


def _elsewhere(facts: pl.DataFrame, sources: Sources) -> pl.DataFrame:
    """Say where the text of what no chunk overlaps stands all the same."""
    lost = (pl.col(INDEX_SHARE) == 0.0) & pl.col(TEXT).is_not_null()
    texts = facts.filter(lost)[TEXT].unique(maintain_order=True)
    chunk = sources.index.corpus.first_whole(texts.to_list())
    names = [None if number < 0 else sources.index.names[number] for number in chunk.tolist()]
    where = pl.col(TEXT).replace_strict(texts, names, default=None, return_dtype=pl.String)
    told = facts.with_columns(pl.when(lost).then(where).alias(STANDS_IN))
    whole = pl.when(pl.col(STANDS_IN).is_not_null())
    told = told.with_columns(
        whole.then(pl.lit(ELSEWHERE)).alias(STANDS),
        whole.then(pl.lit(1.0)).alias(HELD),
        whole.then(pl.lit("")).alias(DIFFERENCE),
    )
    return with_stands(with_stands(told, lost, sources.index), lost, sources.library)


def _overlapping(items: pl.DataFrame, chunks: pl.DataFrame) -> pl.DataFrame:
    named = resolve_doc_ids(items[DOC].drop_nulls(), chunks[DOC].drop_nulls())
    numbered = items.with_row_index("_row").with_columns(
        pl.col(DOC).replace_strict(named, default=None, return_dtype=pl.String).alias("_named")
    )
    index = chunks.select(
        CHUNK, pl.col(DOC).alias("_doc"), pl.col(START).alias("_from"), pl.col(END).alias("_to")
    )
    overlap = pl.min_horizontal(END, "_to") - pl.max_horizontal(START, "_from")
    pairs = numbered.join_where(
        index,
        pl.col("_named") == pl.col("_doc"),
        pl.col(START) < pl.col("_to"),
        pl.col(END) > pl.col("_from"),
    ).with_columns((overlap / (pl.col(END) - pl.col(START))).alias(INDEX_SHARE))
    order = [INDEX_SHARE, "_from", CHUNK]
    best = pairs.sort(order, descending=[True, False, False]).unique("_row", keep="first")
    best = best.select("_row", INDEX_SHARE, pl.col(CHUNK).alias(INDEX_CHUNK))
    joined = numbered.join(best, on="_row", how="left", maintain_order="left")
    share = pl.col(INDEX_SHARE).fill_null(0.0)
    return joined.with_columns(
        (share >= 1.0).alias(IN_INDEX),
        (share > 0.0).alias(IN_PARTS),
        pl.lit(None, pl.Boolean).alias(IN_DOCUMENTS),
        share.alias(INDEX_SHARE),
        *(pl.lit(None, FACTS[name]).alias(name) for name in _STAND),
    )


# ------------------------------------------------------------------------------ ids


def _by_ids(items: pl.DataFrame, sources: Sources) -> pl.DataFrame:
    """An id is in the index or not; there are no parts of it."""
    facts = _with(items, {})
    if sources.chunks is not None:
        ids = [sources.chunks[name] for name in (CHUNK, DOC) if name in sources.chunks.columns]
        known = pl.concat([column.rename("id") for column in ids]).unique()
        held = items[TARGET].is_in(known.implode()).fill_null(False)
        facts = _with(
            items,
            {
                IN_INDEX: held,
                IN_PARTS: held,
                INDEX_SHARE: held.cast(pl.Float64),
                INDEX_CHUNK: items.select(pl.when(held).then(TARGET).otherwise(None))[TARGET],
            },
        )
    return facts
