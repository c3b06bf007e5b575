"""Matching by spans, on every engine, and where it differs from matching by text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tophit.errors import InputError
from tophit.matching.spans import span_faults, span_hits

if TYPE_CHECKING:
    from conftest import Engine

ITEMS = {
    "query_id": pl.String, "item_id": pl.String, "grade": pl.Float64,
    "doc_id": pl.String, "start": pl.Int64, "end": pl.Int64,
}  # fmt: skip
PLACES = {
    "query_id": pl.String, "chunk_id": pl.String, "rank": pl.Int64,
    "doc_id": pl.String, "start": pl.Int64, "end": pl.Int64,
}  # fmt: skip
Row = tuple[Any, ...]


def judgments(*rows: Row) -> pl.DataFrame:
    filled = [(query, item, 1.0, doc, start, end) for query, item, doc, start, end in rows]
    return pl.DataFrame(filled, schema=ITEMS, orient="row")


def retrieved(*rows: Row) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=PLACES, orient="row")


def hits(engine: Engine, judged: pl.DataFrame, run: pl.DataFrame) -> list[dict[str, Any]]:
    lazy = (nw.from_native(engine.frame(frame)).lazy() for frame in (judged, run))
    found = engine.collect(span_hits(*lazy).to_native())
    return found.sort("query_id", "item_id", "rank").to_dicts()


def test_share_is_overlap_over_the_length_of_the_item(engine: Engine) -> None:
    judged = judgments(("q", "e", "a", 10, 20))
    run = retrieved(
        ("q", "covers", 1, "a", 0, 100),
        ("q", "equals", 2, "a", 10, 20),
        ("q", "starts", 3, "a", 4, 16),
        ("q", "inside", 4, "a", 13, 15),
        ("q", "ends", 5, "a", 19, 40),
        ("q", "touches before", 6, "a", 0, 10),
        ("q", "touches after", 7, "a", 20, 30),
        ("q", "other document", 8, "b", 0, 100),
        ("p", "other query", 9, "a", 0, 100),
    )
    found = hits(engine, judged, run)
    pieces = ("share", "item_start", "item_end", "chunk_start", "chunk_end", "item_length")
    assert {row["chunk_id"]: tuple(row[name] for name in pieces) for row in found} == {
        "covers": (1.0, 0, 10, 10, 20, 10),
        "equals": (1.0, 0, 10, 0, 10, 10),
        "starts": (0.6, 0, 6, 6, 12, 10),
        "inside": (0.2, 3, 5, 0, 2, 10),
        "ends": (0.1, 9, 10, 0, 1, 10),
    }


def test_the_best_alternative_counts_and_ties_are_settled(engine: Engine) -> None:
    judged = judgments(
        ("q", "e", "a", 12, 24),
        ("q", "e", "a", 11, 18),
        ("q", "e", "b", 0, 4),
        ("q", "f", "a", 0, 9),
    )
    run = retrieved(
        ("q", "c1", 1, "a", 12, 18), ("q", "c2", 2, "b", 2, 9), ("q", "c1", 3, "a", 12, 18)
    )
    found = hits(engine, judged, run)
    shown = [(row["rank"], row["share"], row["item_start"], row["item_length"]) for row in found]
    assert shown == [(1, 6 / 7, 1, 7), (2, 0.5, 2, 4), (3, 6 / 7, 1, 7)]


def test_equal_alternatives_are_settled_by_their_places(engine: Engine) -> None:
    judged = judgments(("q", "e", "a", 6, 14), ("q", "e", "a", 10, 18), ("q", "e", "a", 8, 16))
    found = hits(engine, judged, retrieved(("q", "c", 1, "a", 10, 14)))
    assert [(row["share"], row["item_start"]) for row in found] == [(0.5, 0)]


def test_rows_without_document_or_offsets_match_nothing(engine: Engine) -> None:
    judged = judgments(
        ("q", "e1", None, 0, 9), ("q", "e2", "a", None, None), ("q", "e3", "a", 0, 9)
    )
    run = retrieved(
        ("q", "c1", 1, None, 0, 9), ("q", "c2", 2, "a", None, None), ("q", "c3", 3, "a", 0, 9)
    )
    assert [(row["item_id"], row["chunk_id"]) for row in hits(engine, judged, run)] == [
        ("e3", "c3")
    ]


def test_columns_of_the_ranking_are_carried(engine: Engine) -> None:
    run = retrieved(("q", "c", 1, "a", 0, 9)).with_columns(rank_best=1, tokens_through=7)
    found = hits(engine, judgments(("q", "e", "a", 0, 9)), run)
    assert (found[0]["rank_best"], found[0]["tokens_through"], found[0]["grade"]) == (1, 7, 1.0)


@pytest.mark.parametrize(("start", "end"), [(7, 7), (9, 3), (-1, 3), (-5, -2)])
@pytest.mark.parametrize("side", ["questions", "run"])
def test_wrong_offsets_are_errors_that_say_whose(start: int, end: int, side: str) -> None:
    judged, run = judgments(("q", "e", "a", 0, 9)), retrieved(("q", "c", 1, "a", 0, 9))
    if side == "run":
        run = pl.concat([run, retrieved(("q", "c9", 2, "a", start, end))])
    else:
        judged = pl.concat([judged, judgments(("q", "e9", "a", start, end))])
    with pytest.raises(
        InputError, match=f"{side}, start, end: .* found start {start}, end {end} .*9'"
    ):
        span_hits(nw.from_native(judged.lazy()), nw.from_native(run.lazy()))


def test_all_wrong_offsets_are_listed_at_once() -> None:
    run = retrieved(*[("q", f"c{n}", n, "a", 5, 5) for n in range(1, 31)])
    assert len(span_faults(nw.from_native(run.lazy()), name="run")) == 30


def test_wrong_offsets_never_match_where_nobody_looks(spark_session: Any) -> None:
    judged = spark_session.createDataFrame(
        judgments(("q", "e", "a", 5, 5), ("q", "f", "a", -4, 6)).to_arrow()
    )
    run = spark_session.createDataFrame(retrieved(("q", "c", 1, "a", 0, 9)).to_arrow())
    found = span_hits(nw.from_native(judged), nw.from_native(run)).collect()
    assert len(found) == 0


spans = st.tuples(st.integers(0, 12), st.integers(1, 12)).map(
    lambda span: (span[0], span[0] + span[1])
)
docs = st.sampled_from("ab")


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.sampled_from("qp"), st.sampled_from("ef"), docs, spans), max_size=6),
    st.lists(st.tuples(st.sampled_from("qp"), docs, spans), max_size=6),
)
def test_spans_agree_with_counting_characters(items: list[Row], places: list[Row]) -> None:
    judged = judgments(*[(query, item, doc, *span) for query, item, doc, span in items])
    run = retrieved(*[(q, f"c{n}", n, doc, *span) for n, (q, doc, span) in enumerate(places, 1)])
    expected: dict[tuple[str, str, int], float] = {}
    for query, item, doc, (start, end) in items:
        for rank, (asked, where, (first, last)) in enumerate(places, 1):
            held = len(set(range(start, end)) & set(range(first, last))) / (end - start)
            if (query, doc) == (asked, where) and held:
                key = (query, item, rank)
                expected[key] = max(held, expected.get(key, 0.0))
    lazy = (nw.from_native(frame.lazy()) for frame in (judged, run))
    found = span_hits(*lazy).collect().to_polars()
    shown = {
        (row["query_id"], row["item_id"], row["rank"]): row["share"] for row in found.to_dicts()
    }
    assert shown == pytest.approx(expected)
    assert len(shown) == found.height


# ------------------------------------------------------------------------------ text and spans
