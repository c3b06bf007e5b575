"""Given ranks, ties, depth: which place a chunk has, and what is said of it; on every engine."""

from __future__ import annotations

import narwhals as nw
import polars as pl
import pytest

import tophit
from tophit.evaluation.ranking import per_query, ranked


def codes(result: tophit.Result) -> dict[str, int]:
    return {warning.code: warning.count for warning in result.warnings}


def judge(engine, items: dict[str, str]):
    return engine.frame(
        pl.DataFrame({"query_id": list(items), "item_id": list(items.values()), "grade": 1.0})
    )


def places(engine, **columns):
    return engine.frame(pl.DataFrame(columns))


def test_tied_ranks_are_settled_by_id_pushed_apart_and_counted(engine):
    """As competition ranks (1, 1, 3), dense ranks (1, 1, 2), all alike, and with gaps."""
    given = {"p": [1, 1, 3], "q": [1, 1, 2], "r": [5, 5, 5], "s": [2, 4, 9]}
    run = places(
        engine,
        query_id=[query for query in given for _ in "abc"],
        chunk_id=list("abc") * 4,
        rank=[rank for ranks in given.values() for rank in ranks],
    )
    placed = ranked(nw.from_native(run).lazy()).collect().to_polars().sort("query_id", "chunk_id")
    assert placed["rank"].to_list() == [2, 1, 3, 2, 1, 3, 7, 6, 5, 2, 4, 9]
    assert placed["rank_best"].to_list() == [1, 1, 3, 1, 1, 3, 5, 5, 5, 2, 4, 9]
    assert placed["rank_worst"].to_list() == [2, 2, 3, 2, 2, 3, 7, 7, 7, 2, 4, 9]
    result = tophit.evaluate(
        judge(engine, {"p": "a", "q": "c", "r": "c", "s": "b"}), run, measures="MRR Hit@1"
    )
    scores = {row["query_id"]: row["MRR"] for row in engine.collect(result.scores).to_dicts()}
    assert scores == pytest.approx({"p": 1 / 2, "q": 1 / 3, "r": 1 / 5, "s": 1 / 4})
    assert codes(result) == {"tied_ranks": 7, "ties": 1}


def test_ranks_that_count_from_0_are_moved_by_one_in_the_whole_run(engine):
    """The second list begins at 1 because its first place is missing."""
    run = places(
        engine, query_id=["p", "p", "q", "q"], chunk_id=["x", "a", "a", "b"], rank=[0, 1, 1, 2]
    )
    result = tophit.evaluate(judge(engine, {"p": "a", "q": "a"}), run, measures="MRR")
    assert result["MRR"].value == 0.5


def test_a_rank_beside_a_score_decides(engine):
    run = places(engine, query_id=["q", "q"], chunk_id=["a", "b"], rank=[2, 1], score=[9.0, 1.0])
    result = tophit.evaluate(judge(engine, {"q": "a"}), run, measures="MRR")
    assert result["MRR"].value == 0.5


def test_ties_at_a_cutoff_are_counted_where_they_decide(engine):
    """p: a relevant chunk is out by the tie rule; q: in by it; r: its tie is within the cutoff."""
    run = places(
        engine,
        query_id=["p"] * 3 + ["q"] * 3 + ["r"] * 3 + ["s"] * 3,
        chunk_id=list("abc") * 4,
        score=[2.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 0.5, 3.0, 2.0, 2.0],
    )
    asked = judge(engine, {"p": "b", "q": "c", "r": "a", "s": "a"})
    result = tophit.evaluate(asked, run, measures="Hit@2 MRR")
    assert codes(result) == {"ties": 2}
    scores = {row["query_id"]: row["Hit@2"] for row in engine.collect(result.scores).to_dicts()}
    assert scores == {"p": 0.0, "q": 1.0, "r": 1.0, "s": 1.0}


def test_no_cutoff_no_tie_at_it():
    run = {"q": {"a": 1.0, "b": 1.0}}
    assert codes(tophit.evaluate({"q": ["a"]}, run, measures="MRR MAP")) == {}


def test_a_tie_of_grade_0_decides_nothing():
    run = {"q": {"a": 2.0, "b": 1.0, "c": 1.0}}
    assert codes(tophit.evaluate({"q": {"a": 1, "b": 0}}, run, measures="Hit@2")) == {}


def test_depth_cuts_before_anything_else(engine):
    run = places(
        engine,
        query_id=["q"] * 4 + ["p"],
        chunk_id=["x", "y", "a", "a", "x"],
        rank=[1, 2, 3, 4, 3],
    )
    asked = judge(engine, {"q": "a", "p": "x"})
    for depth, mrr, missing in ((2, 0.0, 1), (3, 1 / 3, 0)):
        result = tophit.evaluate(asked, run, measures="MRR", depth=depth)
        assert result["MRR"].value == pytest.approx(mrr)
        assert result.questions.without_results == missing
        assert codes(result)["duplicates"] == 1


def test_what_each_query_holds(engine):
    run = places(
        engine,
        query_id=["q", "q", "q", "q", "p"],
        chunk_id=["a", "a", None, None, "a"],
        rank=[1, 2, 3, 3, 1],
    )
    counted = per_query(ranked(nw.from_native(run).lazy()), depth=2, given=True)
    assert sorted(counted.collect().to_polars().rows()) == [("p", 1, 0, 0), ("q", 2, 1, 2)]


@pytest.mark.parametrize("shuffle", [False, True])
def test_more_queries_than_16_bits_count(shuffle):
    """Blocks of a run in memory: many queries, of many sizes, with ties across blocks."""
    n = 70_000
    run = pl.DataFrame(
        {
            "query_id": [f"{number}" for number in range(n) for _ in range(1 + number % 3)],
            "chunk_id": [f"d{place}" for number in range(n) for place in range(1 + number % 3)],
            "score": 1.0,
        }
    )
    if shuffle:
        run = run.sample(fraction=1, shuffle=True, seed=1)
    judgments = pl.DataFrame({"query_id": [f"{n}" for n in range(n)], "item_id": "d0"})
    result = tophit.evaluate(judgments, run, measures="MRR Hit@1")
    assert result["MRR"].value == pytest.approx(
        sum(1 / (1 + number % 3) for number in range(n)) / n
    )
    assert codes(result) == {"ties": sum(number % 3 > 0 for number in range(n))}
