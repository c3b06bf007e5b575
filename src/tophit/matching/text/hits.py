"""Match by text: which chunk holds which element, and how much of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tophit.errors import Fault, InputError
from tophit.matching.text.common_words import longest_runs
from tophit.matching.text.cut_labels import complete_cut_labels
from tophit.matching.text.letters import letters_of
from tophit.matching.text.lineends import Ending, Reading, endings, reread
from tophit.matching.text.marks import MARKS, settle_line_ends
from tophit.matching.text.normalize import normalize_all, says_nothing
from tophit.matching.text.words import Words, words_of
from tophit.relations import (
    CARRIED,
    CHUNK,
    CHUNK_END,
    CHUNK_START,
    GRADE,
    ITEM,
    ITEM_END,
    ITEM_LENGTH,
    ITEM_START,
    QUERY,
    RANK,
    SHARE,
    TEXT,
)
from tophit.settings import DEFAULT_FOLDING, Folding

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]

# Characters that are held in words at a time, at about 40 bytes each. Few of the chunks, so that
# their words stay in the processor's cache; many of the elements, so that a chunk is read once.
_ELEMENTS = 1 << 22
_CHUNKS = 1 << 17
_TEXTS = 10_000
_HAS_MARK = re.compile(f"[{MARKS}]").search
_PLACES = (ITEM_START, ITEM_END, CHUNK_START, CHUNK_END, ITEM_LENGTH)


@dataclass(frozen=True)
class Pieces:
    """For every pair the longest piece of the element that stands in the chunk.

    `share` in [0, 1] is the piece's length over `element_length`; 1 means whole. Places are
    characters of the normalised texts (`normalize`); they are all 0 where nothing is common.
    `original_span` leads back to the texts as they were given.
    """

    share: _Floats
    element_start: _Ints
    element_end: _Ints
    chunk_start: _Ints
    chunk_end: _Ints
    element_length: _Ints


def longest_pieces(
    elements: Sequence[str],
    chunks: Sequence[str],
    element_index: _Ints,
    chunk_index: _Ints,
    *,
    folding: Folding = DEFAULT_FOLDING,
) -> Pieces:
    """Find for every pair the longest run of whole words of the element that the chunk holds.

    `elements` and `chunks` are texts as they were given, each needed once; pair i is
    `elements[element_index[i]]` and `chunks[chunk_index[i]]`. Words are the segments of UAX #29,
    punctuation among them; a run goes from its first character to its last, blanks inside it count.
    Of several longest runs it is the first in the element, then the first in the chunk. An element
    that is empty after normalisation has length 0 and share 0 (see `empty_elements`). An element of
    eight words or more may begin or end inside a word, but not inside a number (cut_labels.py).
    `folding`: see `normalize`.

    >>> pieces = longest_pieces(
    ...     ["The red cat", "3.1"],
    ...     ["“The Red\\n Cat” sat", "a red cat", "3.14"],
    ...     np.array([0, 0, 1]),
    ...     np.array([0, 1, 2]),
    ... )
    >>> pieces.share.round(3).tolist(), pieces.element_start.tolist(), pieces.chunk_start.tolist()
    ([1.0, 0.636, 0.0], [0, 4, 0], [1, 2, 0])
    """
    element_index, chunk_index = np.asarray(element_index), np.asarray(chunk_index)
    places = np.zeros((5, len(element_index)), dtype=np.int64)
    for rows in _blocks(elements, element_index, np.arange(len(element_index)), _ELEMENTS):
        ours, element = _Side.of(elements, element_index[rows], number=0, folding=folding)
        places[4, rows] = ours.words.length[element]
        for part in _blocks(chunks, chunk_index, rows, _CHUNKS):
            theirs, chunk = _Side.of(chunks, chunk_index[part], number=1, folding=folding)
            within = element[np.searchsorted(rows, part)]
            places[:4, part] = _pieces(ours, theirs, within, chunk)
    length = places[4]
    share = (places[1] - places[0]) / np.maximum(length, 1)
    return Pieces(share, *places)


def _blocks(texts: Sequence[str], index: _Ints, rows: _Ints, size: int) -> Iterator[_Ints]:
    """Part rows (sorted) into blocks whose texts hold about `size` characters together."""
    used = np.unique(index[rows])
    sizes = np.fromiter((len(texts[i]) for i in used.tolist()), dtype=np.int64, count=len(used))
    block_of = np.cumsum(sizes) // size
    if len(used) == 0 or block_of[-1] == block_of[0]:
        yield rows
        return
    number = block_of[np.searchsorted(used, index[rows])]
    order = np.argsort(number, kind="stable")
    yield from np.split(rows[order], np.flatnonzero(np.diff(number[order])) + 1)


@dataclass(frozen=True)
class _Side:
    """Normalised texts of one side of the pairs.

    `units` is what runs are made of: the words, or by letters the letters. `ends` are the line ends
    with several readings; by letters all readings are the same.
    """

    words: Words
    units: Words
    marked: dict[int, str]
    ends: dict[int, list[Ending]]

    @classmethod
    def of(
        cls, texts: Sequence[str], index: _Ints, *, number: int, folding: Folding
    ) -> tuple[_Side, _Ints]:
        """The texts that `index` uses, and `index` in terms of these."""
        used, local = np.unique(index, return_inverse=True)
        wanted = [texts[i] for i in used.tolist()]
        # Plain ASCII apart: one curly quote makes the whole string four times as slow to fold.
        is_ascii = np.fromiter(map(str.isascii, wanted), dtype=bool, count=len(wanted))
        groups = [list(compress(wanted, is_ascii)), list(compress(wanted, ~is_ascii))]
        joined = "".join(normalize_all(group, folding=folding) for group in groups)
        place = np.where(is_ascii, np.cumsum(is_ascii), is_ascii.sum() + np.cumsum(~is_ascii)) - 1
        marked = _marked(joined)
        found = ((text, endings(line)) for text, line in marked.items())
        ends = {text: those for text, those in found if those}
        words = words_of(settle_line_ends(joined), side=number, exact=folding.exact)
        if folding.letters:
            return cls(words, letters_of(words, side=number), marked, {}), place[local]
        return cls(words, words, marked, ends), place[local]

    def line(self, text: int) -> str:
        """One of the texts with its marks."""
        return self.marked.get(text) or self.words.text_of(text)


def _marked(joined: str) -> dict[int, str]:
    if joined.isascii() or not any(mark in joined for mark in MARKS):
        return {}
    return {number: line for number, line in enumerate(joined.split("\n")) if _HAS_MARK(line)}


def _pieces(ours: _Side, theirs: _Side, element: _Ints, chunk: _Ints) -> _Ints:
    places = longest_runs(ours.units, theirs.units, element, chunk)
    if ours.ends or theirs.ends:
        partial = np.flatnonzero(places[1] - places[0] < ours.words.length[element])
        _reread_line_ends(ours, theirs, element, chunk, places, partial)
    complete_cut_labels(ours.words, theirs.words, element, chunk, places)
    return places


def _reread_line_ends(
    ours: _Side, theirs: _Side, element: _Ints, chunk: _Ints, places: _Ints, rows: _Ints
) -> None:
    readings: list[tuple[int, Reading, Reading]] = []
    for row in rows.tolist():
        found = _reread(ours, theirs, int(element[row]), int(chunk[row]))
        if found:
            readings.append((row, *found))
    if not readings:
        return
    pairs = np.arange(len(readings))
    elements = words_of("".join(f"{read.text}\n" for _, read, _ in readings), side=0)
    chunks = words_of("".join(f"{read.text}\n" for _, _, read in readings), side=1)
    runs = longest_runs(elements, chunks, pairs, pairs)
    for (row, ours_read, theirs_read), run in zip(readings, runs.T.tolist(), strict=True):
        place = [*map(ours_read.usual_place, run[:2]), *map(theirs_read.usual_place, run[2:])]
        if place[1] - place[0] > places[1, row] - places[0, row]:
            places[:, row] = place


def _reread(ours: _Side, theirs: _Side, element: int, chunk: int) -> tuple[Reading, Reading] | None:
    """The two texts, the chunk read as the element has it, then the element as the chunk has it."""
    their_ends, our_ends = theirs.ends.get(chunk, []), ours.ends.get(element, [])
    their_reading = reread(theirs.line(chunk), their_ends, ours.words.text_of(element))
    their_text = their_reading.plain if their_reading else theirs.words.text_of(chunk)
    our_reading = reread(ours.line(element), our_ends, their_text)
    if our_reading is None and their_reading is None:
        return None
    return (
        our_reading or Reading(settle_line_ends(ours.line(element)), ()),
        their_reading or Reading(settle_line_ends(theirs.line(chunk)), ()),
    )


# ------------------------------------------------------------------------------ relations


def text_hits(
    judgments: pl.DataFrame,
    retrieved: pl.DataFrame,
    *,
    folding: Folding = DEFAULT_FOLDING,
) -> pl.DataFrame:
    """Give the relation `hits` by text: every retrieved place that holds a piece of an item.

    Columns in: judgments query_id, item_id, grade, text; retrieved query_id, chunk_id, rank, text
    (ranked). Columns out: query_id, item_id, chunk_id, rank, grade, share (see `Pieces`), the piece
    as item_start, item_end, chunk_start, chunk_end in characters of the normalised texts,
    item_length, and the columns of the ranking. A row a query, item and place, in the order of
    `retrieved`: of several alternatives (rows with one item_id) the one with the greatest share,
    then the first. Rows without text match nothing. A text that occurs often is matched once.

    Errors: `InputError` for elements that are empty after normalisation: each would be in every
    text.

    >>> judged = pl.DataFrame(
    ...     {"query_id": ["q"], "item_id": ["e"], "grade": [1.0], "text": ["The red cat"]}
    ... )
    >>> run = pl.DataFrame(
    ...     {"query_id": ["q"], "chunk_id": ["c"], "rank": [1], "text": ["a red\\ncat sat"]}
    ... )
    >>> hits = text_hits(judged, run)
    >>> hits.select("item_id", "rank", pl.col("share").round(3), "item_start", "item_end").rows()
    [('e', 1, 0.636, 4, 11)]
    """
    faults = empty_elements(judgments, folding=folding)
    if faults:
        raise InputError(faults, hint="such an element would be in every text")
    carried = [name for name in CARRIED if name in retrieved.columns]
    items, elements = _numbered(judgments, [QUERY, ITEM, GRADE], "_element")
    places, chunks = _numbered(retrieved, [QUERY, CHUNK, RANK, *carried], "_chunk")
    pairs = places.join(items, on=QUERY, suffix="_item")
    codes = pairs["_element"].to_numpy().astype(np.int64) * len(chunks) + pairs["_chunk"].to_numpy()
    distinct, row = np.unique(codes, return_inverse=True)
    element, chunk = np.divmod(distinct, max(1, len(chunks)))
    pieces = longest_pieces(elements, chunks, element, chunk, folding=folding)
    hits = pairs.with_columns(
        pl.Series(SHARE, pieces.share[row]),
        pl.Series(ITEM_START, pieces.element_start[row]),
        pl.Series(ITEM_END, pieces.element_end[row]),
        pl.Series(CHUNK_START, pieces.chunk_start[row]),
        pl.Series(CHUNK_END, pieces.chunk_end[row]),
        pl.Series(ITEM_LENGTH, pieces.element_length[row]),
    ).filter(pl.col(SHARE) > 0)
    best = hits.sort("_row", SHARE, "_row_item", descending=[False, True, False])
    if items.select(QUERY, ITEM).is_duplicated().any():
        best = best.unique(["_row", ITEM], keep="first", maintain_order=True)
    return best.sort("_row", "_row_item").select(
        QUERY, ITEM, CHUNK, RANK, GRADE, *carried, SHARE, *_PLACES
    )


def _numbered(frame: pl.DataFrame, columns: list[str], name: str) -> tuple[pl.DataFrame, list[str]]:
    """The rows that have text, with the number of their text, and the texts, each once."""
    rows = frame.with_row_index("_row").filter(pl.col(TEXT).is_not_null())
    texts = rows.select(pl.col(TEXT).unique(maintain_order=True)).with_row_index(name)
    numbered = rows.join(texts, on=TEXT, maintain_order="left").select("_row", *columns, name)
    return numbered, texts[TEXT].to_list()


def empty_elements(judgments: pl.DataFrame, *, folding: Folding = DEFAULT_FOLDING) -> list[Fault]:
    """The elements of which normalisation leaves nothing, as faults of the questions.

    Rows without text (null) are no elements.

    >>> judged = pl.DataFrame({"query_id": ["q"], "item_id": ["a"], "text": ["\\u200b "]})
    >>> print(empty_elements(judged)[0])
    query 'q', item 'a', text: expected text that normalisation leaves, found '\\u200b '
    """
    rows, texts = _numbered(judgments, [QUERY, ITEM], "_element")
    empty = [
        number
        for first in range(0, len(texts), _TEXTS)
        for number, text in enumerate(_lines(texts[first : first + _TEXTS], folding=folding), first)
        if says_nothing(text, folding=folding)
    ]
    wrong = rows.filter(pl.col("_element").is_in(empty))
    return [
        Fault(
            field=f"query {query!r}, item {item!r}, text",
            expected="text that normalisation leaves",
            found=repr(texts[number]),
        )
        for query, item, number in wrong.select(QUERY, ITEM, "_element").iter_rows()
    ]


def _lines(texts: list[str], *, folding: Folding) -> list[str]:
    joined = normalize_all(texts, folding=folding)
    return joined.split("\n")[:-1]
