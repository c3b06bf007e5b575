"""What the index and the documents hold of each item: whole, in parts, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tophit.diagnosis.joined import joined_documents
from tophit.diagnosis.outcomes import IN_DOCUMENTS, IN_INDEX, IN_PARTS
from tophit.documents import Documents, resolve_doc_ids
from tophit.errors import Fault, InputError
from tophit.matching.ids import TARGET
from tophit.matching.text.search import Corpus
from tophit.relations import CHUNK, DOC, END, ITEM, QUERY, START, TEXT
from tophit.settings import DEFAULT_FOLDING, Folding

INDEX_SHARE = "index_share"
INDEX_CHUNK = "index_chunk"
FACTS = {
    IN_INDEX: pl.Boolean, IN_PARTS: pl.Boolean, IN_DOCUMENTS: pl.Boolean,
    INDEX_SHARE: pl.Float64, INDEX_CHUNK: pl.String,
}  # fmt: skip
# A chunk that holds so much of an item shows that its document was split.
_HALF = 0.5
_NEEDS = {"text": (TEXT,), "spans": (DOC, START, END), "ids": ()}


@dataclass(frozen=True, kw_only=True)
class Sources:
    """The index and the documents, each only if it was given, and how to match."""

    match: str
    chunks: pl.DataFrame | None = None
    documents: Documents | None = None
    folding: Folding = DEFAULT_FOLDING

    def corpus(self, texts: Iterable[str]) -> Corpus:
        """Texts to search in, folded as asked for."""
        return Corpus(texts=list(texts), folding=self.folding)


def facts_about(items: pl.DataFrame, sources: Sources) -> pl.DataFrame:
    """Say of every item what the index and the documents hold; null is unknown.

    `items` has a row an alternative: query_id, item_id, and what `sources.match` needs. Columns
    out: query_id, item_id, in_index, in_parts, in_documents, index_share (the most that one chunk
    holds) and index_chunk (which one).
    Errors: `InputError` when the chunks lack what the match needs.

    >>> items = pl.DataFrame({"query_id": ["q"], "item_id": ["e"], "text": ["the red cat"]})
    >>> chunks = pl.DataFrame({"chunk_id": ["1", "2"], "text": ["See the red", "cat sit."]})
    >>> facts_about(items, Sources(match="text", chunks=chunks)).rows()
    [('q', 'e', False, True, None, 0.6363636363636364, '1')]
    """
    _check(sources)
    makers = {"text": _by_text, "spans": _by_spans, "ids": _by_ids}
    facts = makers[sources.match](items, sources)
    whole = pl.col(IN_INDEX).any(ignore_nulls=False)
    best = pl.col(INDEX_CHUNK).sort_by(INDEX_SHARE, descending=True, nulls_last=True).first()
    return facts.group_by(QUERY, ITEM, maintain_order=True).agg(
        whole,
        pl.col(IN_PARTS, IN_DOCUMENTS).any(ignore_nulls=False),
        pl.col(INDEX_SHARE).max(),
        best,
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
        facts = _in_index(facts, sources.chunks, sources)
    if sources.documents is not None:
        first = sources.corpus(sources.documents.frame[TEXT]).first_whole(elements.to_list())
        facts = facts.with_columns(pl.Series(IN_DOCUMENTS, first >= 0))
    joined = items.join(facts, on=TEXT, how="left")
    return _indexed_documents(joined, sources) if sources.chunks is not None else joined


def _in_index(facts: pl.DataFrame, chunks: pl.DataFrame, sources: Sources) -> pl.DataFrame:
    held = chunks.filter(pl.col(TEXT).is_not_null())
    ids = [None, *held[CHUNK]]  # so that -1 + 1 is none
    elements = facts[TEXT].to_list()
    corpus = sources.corpus(held[TEXT])
    chunk = corpus.first_whole(elements)
    share = np.where(chunk >= 0, 1.0, 0.0)
    parts = chunk >= 0
    left = np.flatnonzero(chunk < 0)
    if len(left):
        cut = [elements[number] for number in left.tolist()]
        chunk[left], share[left] = corpus.best_parts(cut)
        parts[left] = sources.corpus(joined_documents(held)).first_whole(cut) >= 0
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
    return facts


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
