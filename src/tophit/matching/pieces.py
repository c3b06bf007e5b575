"""The relation `pieces`: which part of an item each place of a ranking holds.

Not every word that a chunk shares with an element is a piece of it: of 13,000 chance pairs of a
passage and a chunk (data of Chroma's chunking evaluation), nearly all share some words. A piece
counts when it is cut off by the chunk's own edges, the element going on where the chunk ends, or
has eight words or more. Against the known offsets there, this gives Coverage to 0.3 %, where all
shared words would give 10 % too much. By spans every overlap counts.

The blank between two pieces, which splitters trim, is no gap: a piece says where the blanks before
it begin, and they count with it if the pieces before reach them. Chinese, Japanese and Thai have no
such blanks, and there every character is wanted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import narwhals as nw
import numpy as np
import polars as pl

from tophit.frames import to_engine
from tophit.matching.text.cut_labels import LONG, word_count
from tophit.matching.text.hits import longest_pieces
from tophit.matching.text.marks import settle
from tophit.matching.text.normalize import normalize_all
from tophit.relations import (
    ALTERNATIVE,
    BLANK_START,
    CHUNK_END,
    CHUNK_START,
    DOC,
    END,
    GRADE,
    ITEM,
    ITEM_CHARS,
    ITEM_END,
    ITEM_LENGTH,
    ITEM_START,
    PLACE_CHARS,
    QUERY,
    RANK,
    START,
    TEXT,
    TOKENS_THROUGH,
    Lazy,
)
from tophit.settings import DEFAULT_FOLDING, Folding

_COLUMNS = (
    ALTERNATIVE, ITEM_START, ITEM_END, BLANK_START, ITEM_LENGTH, ITEM_CHARS, CHUNK_START, CHUNK_END
)  # fmt: skip
_PLACES = (ITEM_START, ITEM_END, CHUNK_START, CHUNK_END, ITEM_LENGTH)
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, kw_only=True)
class Pieces:
    """`pieces`; `judgments` with `item_chars`; `places` with `place_chars`.

    `item_chars` is the length of an item, of its longest alternative; `place_chars` that of the
    chunk at a place. By text both are lengths after normalisation.
    """

    pieces: Lazy
    judgments: Lazy
    places: Lazy


def span_pieces(hits: Lazy, judgments: Lazy, places: Lazy, *, reached: nw.Expr) -> Pieces:
    """Say for the hits that `reached` selects which part of the item it is and where it stands.

    A row a query, item, alternative and place.

    >>> judged = {"query_id": ["q"], "item_id": ["e"], "grade": [1.0], "doc_id": ["a"],
    ...     "start": [0], "end": [10]}
    >>> run = {"query_id": ["q"], "chunk_id": ["c"], "rank": [1], "doc_id": ["a"],
    ...     "start": [4], "end": [20]}
    >>> hit = {"query_id": ["q"], "item_id": ["e"], "rank": [1], "grade": [1.0]}
    >>> hits, items, places = (nw.from_native(pl.LazyFrame(rows)) for rows in (hit, judged, run))
    >>> found = span_pieces(hits, items, places, reached=nw.col("rank") <= 4)
    >>> found.pieces.select("item_start", "item_end", "chunk_end").collect().rows()
    [(4, 10, 6)]
    """
    carried, located = _carried(places), _located_in(hits)
    wanted = hits.filter(reached).select(QUERY, ITEM, RANK, GRADE, *carried, *located)
    return _by_spans(wanted, judgments, places, carried=carried)


def text_pieces(
    hits: Lazy,
    judgments: Lazy,
    places: Lazy,
    *,
    reached: nw.Expr,
    folding: Folding = DEFAULT_FOLDING,
) -> Pieces:
    """As `span_pieces`, by text; one that does not count as a piece has an empty interval."""
    names = [QUERY, ITEM, RANK, GRADE, *_carried(places), *_located_in(hits)]
    wanted = hits.filter(reached).select(*names)
    return _by_text(wanted, judgments, places, reached=reached, folding=folding)


def _carried(places: Lazy) -> list[str]:
    return [name for name in (TOKENS_THROUGH,) if name in places.collect_schema().names()]


def _located_in(hits: Lazy) -> list[str]:
    return [name for name in _PLACES if name in hits.collect_schema().names()]


# ------------------------------------------------------------------------------ spans


def _by_spans(hits: Lazy, judgments: Lazy, places: Lazy, *, carried: list[str]) -> Pieces:
    name = nw.concat_str(nw.col(DOC), nw.col(START), nw.col(END), separator=" ")
    length = (nw.col(END) - nw.col(START)).cast(nw.Int64)
    sized = judgments.with_columns(name.alias(ALTERNATIVE), length.alias(ITEM_LENGTH)).with_columns(
        nw.col(ITEM_LENGTH).max().over(QUERY, ITEM).alias(ITEM_CHARS)
    )
    items = sized.select(
        QUERY, ITEM, DOC, ALTERNATIVE, ITEM_LENGTH, ITEM_CHARS,
        nw.col(START).alias("_from"), nw.col(END).alias("_to"),
    ).unique()  # fmt: skip
    if set(_PLACES) <= set(hits.collect_schema().names()) and not _several(items):
        # the hits know the places already, and joining the run once more would rank it again
        found = hits.drop(ITEM_LENGTH).join(items, on=[QUERY, ITEM], how="inner")
    else:
        found = _all_overlaps(hits.select(QUERY, ITEM, RANK, GRADE, *carried), items, places)
    found = _over_blanks(found, sized).select(QUERY, ITEM, RANK, GRADE, *carried, *_COLUMNS)
    chars = (nw.col(END) - nw.col(START)).cast(nw.Int64)
    return Pieces(
        pieces=found, judgments=sized, places=places.with_columns(chars.alias(PLACE_CHARS))
    )


def _several(items: Lazy) -> bool:
    """Whether an item has alternatives, of which the hits keep the best one alone."""
    counts = items.group_by(QUERY, ITEM).agg(nw.len().alias("_rows"))
    return len(counts.filter(nw.col("_rows") > 1).head(1).collect()) > 0


def _all_overlaps(hits: Lazy, items: Lazy, places: Lazy) -> Lazy:
    """The overlap of every alternative with the places of the hits."""
    joined = hits.join(places.select(QUERY, RANK, DOC, START, END), on=[QUERY, RANK], how="inner")
    joined = joined.join(items, on=[QUERY, ITEM, DOC], how="inner")
    first = nw.max_horizontal(nw.col(START), nw.col("_from"))
    last = nw.min_horizontal(nw.col(END), nw.col("_to"))
    return joined.filter(last > first).with_columns(
        (first - nw.col("_from")).alias(ITEM_START), (last - nw.col("_from")).alias(ITEM_END),
        (first - nw.col(START)).alias(CHUNK_START), (last - nw.col(START)).alias(CHUNK_END),
    )  # fmt: skip


def _over_blanks(pieces: Lazy, judgments: Lazy) -> Lazy:
    """Add where the blanks before a piece begin, where the items' texts say where blanks are.

    Blanks that end an item belong to a piece that reaches them.
    """
    blanks = None
    if TEXT in judgments.collect_schema().names():
        blanks = _blanks(judgments.select(QUERY, ITEM, ALTERNATIVE, ITEM_LENGTH, TEXT))
    if blanks is None or blanks.height == 0:
        return pieces.with_columns(nw.col(ITEM_START).alias(BLANK_START))
    table = to_engine(blanks, pieces)
    keys = [QUERY, ITEM, ALTERNATIVE]
    starts = table.select(*keys, "_at", nw.col("_blank_from").alias(BLANK_START))
    ends = table.filter(nw.col("_blank_to") == nw.col(ITEM_LENGTH)).select(
        *keys, "_at", "_blank_to"
    )
    widened = pieces.join(
        starts, left_on=[*keys, ITEM_START], right_on=[*keys, "_at"], how="left"
    ).join(ends, left_on=[*keys, ITEM_END], right_on=[*keys, "_at"], how="left")
    return widened.with_columns(
        nw.coalesce(nw.col("_blank_to"), nw.col(ITEM_END)).alias(ITEM_END),
        nw.coalesce(nw.col(BLANK_START), nw.col(ITEM_START)).alias(BLANK_START),
    )


def _blanks(judgments: Lazy) -> pl.DataFrame:
    """Every place in or at the edge of a blank of an item whose text is as long as its span.

    Collected in process: the judgments are few beside the run.
    """
    rows: list[tuple[str, str, str, int, int, int, int]] = []
    for query, item, name, length, text in judgments.unique().collect().iter_rows():
        if text is not None and len(text) == length:
            for blank in _BLANKS.finditer(text):
                start, end = blank.span()
                places = range(start, end + 1)
                rows += [(query, item, name, length, at, start, end) for at in places]
    columns = {QUERY: pl.String, ITEM: pl.String, ALTERNATIVE: pl.String, ITEM_LENGTH: pl.Int64,
               "_at": pl.Int64, "_blank_from": pl.Int64, "_blank_to": pl.Int64}  # fmt: skip
    return pl.DataFrame(rows, schema=columns, orient="row")


# ------------------------------------------------------------------------------ text


def _by_text(
    hits: Lazy,
    judgments: Lazy,
    places: Lazy,
    *,
    reached: nw.Expr,
    folding: Folding,
) -> Pieces:
    items = judgments.select(QUERY, ITEM, TEXT).collect().to_polars()
    texts = places.filter(reached).select(QUERY, RANK, TEXT).collect().to_polars()
    elements = normalized(items[TEXT], folding=folding)
    chunks = normalized(texts[TEXT], folding=folding)
    items = items.filter(pl.col(TEXT).is_in(list(elements))).unique(maintain_order=True)
    number = pl.int_range(pl.len()).over(QUERY, ITEM).cast(pl.String)
    length = _lengths(elements)
    items = items.join(length, on=TEXT).with_columns(
        number.alias(ALTERNATIVE), pl.col(_LENGTH).max().over(QUERY, ITEM).alias(ITEM_CHARS)
    )
    pairs = hits.collect().to_polars().join(texts, on=[QUERY, RANK])
    pairs = pairs.rename({TEXT: "_chunk"}).join(items, on=[QUERY, ITEM])
    if not set(_PLACES) <= set(pairs.columns) or items.select(QUERY, ITEM).is_duplicated().any():
        # of an item's alternatives the hits keep the best one alone
        pairs = _with_runs(pairs.drop(_PLACES, strict=False), folding=folding)
    found = _located(pairs, elements, chunks)
    per_item = items.select(QUERY, ITEM, ITEM_CHARS).unique()
    return Pieces(
        pieces=to_engine(found, places),
        judgments=judgments.join(to_engine(per_item, judgments), on=[QUERY, ITEM], how="left"),
        places=places.join(
            to_engine(_lengths(chunks).rename({_LENGTH: PLACE_CHARS}), places), on=TEXT, how="left"
        ),
    )


_LENGTH = "_length"


def _lengths(texts: dict[str, str]) -> pl.DataFrame:
    lengths = [len(text) for text in texts.values()]
    return pl.DataFrame(
        {TEXT: list(texts), _LENGTH: lengths}, schema={TEXT: pl.String, _LENGTH: pl.Int64}
    )


def normalized(texts: pl.Series, *, folding: Folding = DEFAULT_FOLDING) -> dict[str, str]:
    """The distinct texts and what they are after normalisation; those that it leaves empty go.

    >>> normalized(pl.Series(["A  cat", None, "é", " "]))
    {'A  cat': 'a cat', 'é': 'é'}
    """
    distinct = texts.drop_nulls().unique(maintain_order=True).to_list()
    found: dict[str, str] = {}
    # Plain ASCII apart: one curly quote makes a whole string four times as slow to fold.
    for group in ([t for t in distinct if t.isascii()], [t for t in distinct if not t.isascii()]):
        joined = normalize_all(group, folding=folding)
        folded = settle(joined).split("\n")
        found.update((text, form) for text, form in zip(group, folded, strict=False) if form)
    return found


def _with_runs(pairs: pl.DataFrame, *, folding: Folding) -> pl.DataFrame:
    """Add the longest common run of every pair, as the hits have it."""
    known, theirs = (pairs[name].unique(maintain_order=True).to_list() for name in (TEXT, "_chunk"))
    found = longest_pieces(
        known, theirs, _index(pairs[TEXT], known), _index(pairs["_chunk"], theirs), folding=folding
    )
    return pairs.with_columns(
        pl.Series(ITEM_START, found.element_start),
        pl.Series(ITEM_END, found.element_end),
        pl.Series(CHUNK_START, found.chunk_start),
        pl.Series(CHUNK_END, found.chunk_end),
    )


_RUN = (ITEM_START, ITEM_END, CHUNK_START, CHUNK_END)


def _located(pairs: pl.DataFrame, elements: dict[str, str], chunks: dict[str, str]) -> pl.DataFrame:
    """Turn the common run of every pair into a piece: in the element, and in the chunk."""
    rows = pairs.select(TEXT, "_chunk", *_RUN).iter_rows()
    pieces = [piece_at(elements[ours], chunks[theirs], place) for ours, theirs, *place in rows]
    names = (ITEM_START, ITEM_END, BLANK_START, CHUNK_START, CHUNK_END)
    columns = pl.DataFrame(pieces, schema=dict.fromkeys(names, pl.Int64), orient="row")
    whole = pairs.drop(*_RUN, ITEM_LENGTH, strict=False).rename({_LENGTH: ITEM_LENGTH})
    return whole.hstack(columns).drop(TEXT, "_chunk")


def _index(texts: pl.Series, known: list[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    table = {text: number for number, text in enumerate(known)}
    return np.fromiter((table[text] for text in texts), dtype=np.int64, count=len(texts))


def piece_at(element: str, chunk: str, place: list[int]) -> tuple[int, int, int, int, int]:
    """The piece that a longest common run makes: empty where it does not count (see above).

    `place` is the run, its start and end in the element and in the chunk. It is followed on to the
    chunk's edges, since a splitter may cut inside a word. Gives start and end in the element, where
    the blank before it begins, and start and end in the chunk.

    >>> piece_at("efficient offices", "all with effi", [0, 0, 0, 0])
    (0, 0, 0, 0, 0)
    >>> piece_at("very efficient offices", "all very effi", [0, 4, 4, 8])
    (0, 9, 0, 4, 13)
    """
    start, end, chunk_start, chunk_end = place
    if end == start:
        return 0, 0, 0, 0, 0
    tail, head = chunk[chunk_end:], chunk[:chunk_start]
    if tail and element.startswith(tail, end):
        end, chunk_end = end + len(tail), len(chunk)
    if head and element.endswith(head, 0, start):
        start, chunk_start = start - len(head), 0
    cut_before = start == 0 or chunk_start == 0
    cut_after = end == len(element) or chunk_end == len(chunk)
    if not (cut_before and cut_after) and word_count(element[start:end]) < LONG:
        return 0, 0, 0, 0, 0
    blank = start - 1 if start and element[start - 1] == " " else start
    return start, end, blank, chunk_start, chunk_end
