"""What the first chunks hold together: Covered, Coverage, Density; and Ceiling, of the whole index.

The pieces of an item (an alternative of it) are intervals of its characters. They are united in
their order: with `reach` the furthest end of the pieces before one, it adds
max(0, end - max(start, reach)) characters, and the blanks before it where the pieces before reach
them. So overlap counts once, a blank that two pieces leave between them is no gap, and the sum is
their union. Columns of the relation `pieces` (matching/pieces.py; one that does not count is
0 to 0):

    alternative              which alternative of the item the piece is of
    item_start, item_end     the piece in the item, with blanks that end the item
    blank_start              where the blanks before it begin: item_start, if there are none
    item_length              characters of that alternative
    item_chars               characters of the item: of its longest alternative
    chunk_start, chunk_end   the piece in the chunk
"""

from __future__ import annotations

import narwhals as nw

from tophit.measures.credit import flag, within
from tophit.measures.definition import Definition, Measure
from tophit.relations import (
    ALTERNATIVE,
    BLANK_START,
    CHUNK_END,
    CHUNK_START,
    ITEM,
    ITEM_CHARS,
    ITEM_END,
    ITEM_LENGTH,
    ITEM_START,
    PLACE_CHARS,
    QUERY,
    RANK,
)

_OF_ITEM = (QUERY, ITEM, ALTERNATIVE)
_IN_ITEM = [ITEM_START, "_row"]
_IN_CHUNK = [CHUNK_START, "_row"]
_Columns = dict[str, nw.Expr]


def _united(start: str, end: str, reach: str, *, blank: str | None = None) -> nw.Expr:
    """How many characters a piece adds to those that start before it."""
    met = nw.col(reach) >= nw.col(blank or start)
    from_ = nw.when(met).then(nw.col(reach)).otherwise(nw.col(start))
    return nw.max_horizontal(nw.lit(0), nw.col(end) - from_)


def _held(measure: Measure) -> tuple[_Columns, ...]:
    """The fraction of each alternative, and of each item, that the places within k hold together.

    The names hold the cutoff alone, so that measures at one cutoff share the columns.
    """
    cut = str(measure.cutoff)
    counts = within(measure)
    end = nw.when(counts).then(nw.col(ITEM_END)).otherwise(nw.lit(0))
    before = nw.col(f"reach_{cut}").shift(1).over(*_OF_ITEM, order_by=_IN_ITEM).fill_null(0)
    added = _united(ITEM_START, ITEM_END, f"before_{cut}", blank=BLANK_START)
    held = nw.when(counts).then(added).otherwise(nw.lit(0)).sum().over(*_OF_ITEM)
    return (
        {
            f"reach_{cut}": end.cum_max().over(*_OF_ITEM, order_by=_IN_ITEM),
            "item_row": nw.col("_row").min().over(QUERY, ITEM),
        },
        {f"before_{cut}": before},
        {f"held_{cut}": held.cast(nw.Float64) / nw.col(ITEM_LENGTH)},
        {f"best_{cut}": nw.col(f"held_{cut}").max().over(QUERY, ITEM)},
    )


def _covered(measure: Measure) -> nw.Expr:
    return flag(nw.col("relevant") & (nw.col(f"held_{measure.cutoff}") >= 1.0)).max()


def _coverage(measure: Measure) -> nw.Expr:
    once = nw.col("relevant") & (nw.col("_row") == nw.col("item_row"))
    chars = nw.col(f"best_{measure.cutoff}") * nw.col(ITEM_CHARS)
    total = nw.col("relevant_chars").max()
    held = nw.when(once).then(chars).otherwise(nw.lit(0.0)).sum()
    return nw.when(total > 0).then(held / total).otherwise(nw.lit(0.0))


def _relevant_chars(measure: Measure) -> _Columns:
    chars = nw.when(nw.col("relevant")).then(nw.col(ITEM_CHARS)).otherwise(nw.lit(0))
    return {"relevant_chars": chars.sum()}


def _in_chunk(measure: Measure) -> tuple[_Columns, ...]:
    """How many characters of the chunk each piece adds to those of the pieces before it."""
    relevant = nw.col("relevant")
    end = nw.when(relevant).then(nw.col(CHUNK_END)).otherwise(nw.lit(0))
    before = nw.col("chunk_reach").shift(1).over(QUERY, RANK, order_by=_IN_CHUNK).fill_null(0)
    added = _united(CHUNK_START, CHUNK_END, "chunk_before")
    return (
        {"chunk_reach": end.cum_max().over(QUERY, RANK, order_by=_IN_CHUNK)},
        {"chunk_before": before},
        {"chunk_added": nw.when(relevant).then(added).otherwise(nw.lit(0))},
    )


def _density(measure: Measure) -> nw.Expr:
    held = nw.when(within(measure)).then(nw.col("chunk_added")).otherwise(nw.lit(0)).sum()
    total = nw.col(f"chars_{measure.cutoff}").max()
    return nw.when(total > 0).then(held / total).otherwise(nw.lit(0.0))


def _chars_within(measure: Measure) -> _Columns:
    chars = nw.when(within(measure)).then(nw.col(PLACE_CHARS)).otherwise(nw.lit(0))
    return {f"chars_{measure.cutoff}": chars.sum()}


def _ceiling(measure: Measure) -> nw.Expr:
    return flag(nw.col("credit") == 1).max()


_PIECES = (
    "By text, the longest run of words that chunk and item share is a piece of the item where only "
    "the edges of the chunk cut it off; a run that differs from the item inside the chunk is one "
    "if it has eight words or more, since fewer are common by chance. By spans every overlap is one"
)
_BLANKS = "A blank of the item is held where the characters on both sides of it are"

COVERED = Definition(
    name="Covered",
    summary="1 if the first k chunks together hold an item whole",
    formula="[the pieces in the first k chunks unite to an item]; a blank between two is no gap",
    note=_PIECES,
    reference="tophit: an item that was cut in two reaches the model if both parts are retrieved",
    expression=_covered,
    columns=_held,
    binary=True,
    rises_with_k=True,
    reads="pieces",
)

COVERAGE = Definition(
    name="Coverage",
    summary="fraction of the items' characters that the first k chunks hold together",
    formula="characters of the united pieces of all items / characters of all items",
    note=f"{_PIECES}. {_BLANKS}",
    reference="the recall over characters of Chroma's chunking_evaluation, with a cutoff",
    expression=_coverage,
    columns=_held,
    totals=_relevant_chars,
    rises_with_k=True,
    reads="pieces",
)

DENSITY = Definition(
    name="Density",
    summary="fraction of the first k chunks' characters that belong to an item",
    formula="characters of the chunks that are in a piece of an item, each once / all characters",
    note=_PIECES,
    reference="the precision over characters of Chroma's chunking_evaluation, with a cutoff; "
    "a character that two chunks hold counts in both, above and below the line",
    expression=_density,
    columns=_in_chunk,
    place_totals=_chars_within,
    reads="pieces",
)

CEILING = Definition(
    name="Ceiling",
    summary="1 if any chunk of the whole index holds an item whole: no retriever can exceed it",
    formula="[max share of an item over all chunks of the index = 1]",
    reference="tophit: what the splitter has decided before any retriever is asked",
    expression=_ceiling,
    cutoff="none",
    binary=True,
    reads="index",
)

DEFINITIONS = (COVERED, COVERAGE, DENSITY, CEILING)
