"""What a reader of the numbers should know about the matching, counted."""

from __future__ import annotations

from collections.abc import Iterator

import narwhals as nw

from tophit.errors import DataWarning, counted
from tophit.matching.named import named_alike
from tophit.matching.spans import span_hits
from tophit.matching.ways import WAYS
from tophit.relations import DOC, END, GRADE, ITEM, QUERY, RANK, SHARE, START, TEXT, Lazy

_PLACE = [QUERY, ITEM, RANK]


def matching_remarks(
    hits: Lazy, judgments: Lazy, places: Lazy, *, match: str
) -> tuple[DataWarning, ...]:
    """Warn of what cannot match under `match`, and of text and offsets that contradict each other.

    Codes: unmatchable (items without the field that the match needs), places_unmatchable (the same
    for places of the run), text_and_spans_differ (places that hold an item whole by its text or by
    its offsets, but not by both; looked for where texts are matched and both sides have offsets).

    >>> import polars as pl
    >>> judged = {"query_id": ["q"] * 2, "item_id": ["a", "b"], "text": ["cat", None]}
    >>> run = {"query_id": ["q"], "chunk_id": ["c"], "rank": [1], "text": ["a cat"]}
    >>> hit = {"query_id": ["q"], "item_id": ["a"], "rank": [1], "share": [1.0]}
    >>> given = (nw.from_native(pl.LazyFrame(rows)) for rows in (hit, judged, run))
    >>> [(warning.code, warning.count) for warning in matching_remarks(*given, match="text")]
    [('unmatchable', 1)]
    """
    if match == "ids":
        return ()
    return (
        *_unmatchable(judgments, places, match),
        *(_differing(hits, judgments, places) if match == "text" else ()),
    )


def _unmatchable(judgments: Lazy, places: Lazy, match: str) -> Iterator[DataWarning]:
    fields = WAYS[match].columns
    items = _items_lacking(judgments, match)
    if items:
        yield DataWarning(
            code="unmatchable",
            count=items,
            message=f"{items:,} expected item{'s have' if items > 1 else ' has'} no {fields}: "
            f"matched by {match}, nothing can hold {'them' if items > 1 else 'it'}",
        )
    without = _count(places.filter(~WAYS[match].known()))
    if without:
        yield DataWarning(
            code="places_unmatchable",
            count=without,
            message=f"{counted(without, 'place')} of the run without {fields}: "
            f"matched by {match}, {'they hold' if without > 1 else 'it holds'} nothing",
        )


def _items_lacking(judgments: Lazy, match: str) -> int:
    """How many items have the fields in none of their alternatives."""
    able = nw.when(WAYS[match].known()).then(nw.lit(1)).otherwise(nw.lit(0))
    each = judgments.select(QUERY, ITEM, able.alias("_able")).group_by(QUERY, ITEM)
    return _count(each.agg(nw.col("_able").max()).filter(nw.col("_able") == 0))


def _differing(hits: Lazy, judgments: Lazy, places: Lazy) -> Iterator[DataWarning]:
    if not all(set(WAYS["spans"].needs) <= set(_names(side)) for side in (judgments, places)):
        return
    located, put = (_located(side) for side in (judgments, places))
    named = named_alike(located, put)
    by_spans = _whole(span_hits(named.with_columns(nw.lit(1.0).alias(GRADE)), put))
    both = located.select(QUERY, ITEM).unique()
    by_text = (
        _whole(hits)
        .join(both, on=[QUERY, ITEM], how="semi")
        .join(put.select(QUERY, RANK), on=[QUERY, RANK], how="semi")
    )
    copies = _count(by_text.join(by_spans, on=_PLACE, how="anti"))
    changed = _count(by_spans.join(by_text, on=_PLACE, how="anti"))
    if copies or changed:
        total = copies + changed
        yield DataWarning(
            code="text_and_spans_differ",
            count=total,
            message=f"text and offsets disagree at {counted(total, 'place')}: "
            f"{copies:,} whole by text alone (a copy elsewhere, or wrong offsets), {changed:,} by "
            "offsets alone",
        )


def _names(relation: Lazy) -> list[str]:
    return relation.collect_schema().names()


def _located(relation: Lazy) -> Lazy:
    """The rows that have text and offsets that can be."""
    known = [~nw.col(name).is_null() for name in (TEXT, DOC, START, END)]
    sound = (nw.col(START) >= 0) & (nw.col(END) > nw.col(START))
    return relation.filter(nw.all_horizontal(*known, sound, ignore_nulls=True))


def _whole(hits: Lazy) -> Lazy:
    return hits.filter(nw.col(SHARE) >= 1.0).select(_PLACE).unique()


def _count(relation: Lazy) -> int:
    return int(relation.select(nw.len()).collect().item())
