"""Which questions count, and what is said of those that do not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tophit


def codes(result: tophit.Result) -> dict[str, int]:
    return {warning.code: warning.count for warning in result.warnings}


def judged(rows: dict[str, dict[str, float]]) -> pl.DataFrame:
    flat = [(q, item, float(g)) for q, items in rows.items() for item, g in items.items()]
    return pl.DataFrame(flat, schema=["query_id", "item_id", "grade"], orient="row")


def listed(rows: dict[str, list[str]]) -> pl.DataFrame:
    flat = [(q, chunk, n) for q, chunks in rows.items() for n, chunk in enumerate(chunks, 1)]
    types = {"query_id": pl.String, "chunk_id": pl.String, "rank": pl.Int64}
    return pl.DataFrame(flat, schema=types, orient="row")


def test_queries_are_paired_by_id_not_by_position():
    run = {"q2": {"b": 1.0}, "q1": {"a": 1.0}}
    result = tophit.evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, run, measures="Hit MRR MAP nDCG All")
    assert [score.value for score in result.values()] == [1.0] * 5


def test_a_mixed_population_on_every_engine(engine):
    """q1 found, q2 without results, q3 unanswerable, q4 found late; nobody asked q9 and q8."""
    judgments = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 0}, "q4": {"d": 1, "e": 0.5}}
    run = {"q1": ["a", "x"], "q3": ["c"], "q4": ["x", "d", "d"], "q9": ["a"], "q8": ["a", "a"]}
    sides = engine.frame(judged(judgments)), engine.frame(listed(run))
    result = tophit.evaluate(*sides, measures="Hit@1 MRR")
    assert result["Hit@1"].value == pytest.approx(1 / 3)
    assert result["MRR"].value == pytest.approx(0.5)
    assert result["MRR"].n == 3
    assert result.questions.to_dict() == {
        "total": 4,
        "answerable": 3,
        "unanswerable": 1,
        "without_results": 1,
        "not_asked": 2,
    }
    assert codes(result) == {"without_results": 1, "not_asked": 2, "duplicates": 2}
    assert "q2" in next(w.message for w in result.warnings if w.code == "without_results")


@pytest.mark.parametrize("run", [{"q1": ["a"]}, {"q1": ["a"], "q2": []}])
def test_a_question_without_results_counts_as_0_and_is_named(run):
    result = tophit.evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, run, measures="Hit@4 MRR")
    assert result["Hit@4"].value == 0.5
    assert result["MRR"].value == 0.5
    assert codes(result) == {"without_results": 1}
    assert "q2" in result.warnings[0].message


def test_all_lists_empty():
    result = tophit.evaluate({"q1": ["a"], "q2": ["b"]}, {"q1": [], "q2": []})
    assert {score.value for score in result.values()} == {0.0}
    assert result["Hit@4"].n == 2
    assert result.questions.without_results == 2


def test_an_empty_run():
    for run in ({}, [], listed({})):
        result = tophit.evaluate({"q1": ["a"]}, run, measures="Hit@4 Judged@4 nDCG")
        assert [score.value for score in result.values()] == [0.0] * 3


def test_a_query_that_nobody_asked_is_ignored_and_counted():
    result = tophit.evaluate({"q1": ["a"]}, {"q1": ["a"], "q9": ["b"]})
    assert result["Hit@4"].value == 1.0
    assert codes(result) == {"not_asked": 1}


def test_a_question_with_grade_0_alone_is_unanswerable_but_counts_for_trec_eval():
    judgments, run = {"q1": {"a": 1}, "q2": {"b": 0}}, {"q1": ["a"], "q2": ["b"]}
    result = tophit.evaluate(judgments, run)
    assert (result["Hit@4"].value, result["Hit@4"].n) == (1.0, 1)
    for population in ("trec_eval", "trec_eval-c"):
        result = tophit.evaluate(judgments, run, measures="Hit All", population=population)
        assert [(s.value, s.n) for s in result.values()] == [(0.5, 2)] * 2


def test_the_populations_of_trec_eval_differ_in_queries_that_the_run_lacks():
    judgments, run = {"q1": ["a"], "q2": ["b"], "q3": []}, {"q1": ["a"]}
    counted = {
        population: tophit.evaluate(judgments, run, population=population)["Hit@4"].n
        for population in ("answerable", "trec_eval", "trec_eval-c")
    }
    assert counted == {"answerable": 2, "trec_eval": 1, "trec_eval-c": 2}


@pytest.mark.parametrize("questions", [{}, {"q1": []}, {"q1": {"a": 0}, "q2": {}}])
def test_no_answerable_question(questions):
    result = tophit.evaluate(questions, {"q1": ["a"]}, measures="Hit@4 nDCG Bpref")
    assert [(s.value, s.n, s.low, s.high) for s in result.values()] == [(0.0, 0, None, None)] * 3
    assert "no_answerable" in codes(result)


def test_precision_over_all_questions():
    judgments = {"q1": ["a"], "q2": ["b", "c", "d"], "q3": ["e"], "q4": ["f"]}
    run = {"q1": ["a"], "q2": ["d"], "q3": [], "q4": ["f"]}
    assert tophit.evaluate(judgments, run, measures="P@1")["P@1"].value == 0.75


def test_a_run_of_unknown_ids_is_called_reindexed(engine):
    sides = judged({"q1": {"a": 1}, "q2": {"b": 1}}), listed({"q1": ["x1", "x2"], "q2": ["x2"]})
    result = tophit.evaluate(*map(engine.frame, sides))
    assert result["Hit@4"].value == 0.0
    assert codes(result) == {"reindexed": 2}
    assert "re-indexed?" in result.warnings[0].message


def test_ids_known_from_another_question_are_not_called_reindexed():
    result = tophit.evaluate({"q1": ["a"], "q2": ["b"]}, {"q1": ["b"], "q2": ["a"]})
    assert codes(result) == {}


@pytest.mark.parametrize("missing", [None, "", float("nan"), pd.NA, np.nan])
def test_missing_ids_are_never_equal(missing):
    result = tophit.evaluate({"q1": [missing, "a"]}, {"q1": [missing, missing]})
    assert result["Hit@4"].value == 0.0
    assert codes(result)["missing_ids"] in (1, 2)
    assert "duplicates" not in codes(result)


def test_missing_ids_are_never_equal_on_every_engine(engine):
    judgments = pl.DataFrame(
        {"query_id": ["q1", "q1", "q1"], "item_id": [None, "", "a"], "grade": [1.0, 1.0, 1.0]}
    )
    run = pl.DataFrame({"query_id": ["q1"] * 3, "chunk_id": [None, "", "a"], "rank": [1, 2, 3]})
    result = tophit.evaluate(engine.frame(judgments), engine.frame(run), measures="Recall@2 MRR")
    assert [score.value for score in result.values()] == pytest.approx([0.0, 1 / 3])
    assert [w.count for w in result.warnings if w.code == "missing_ids"] == [2, 2]


def test_integer_ids_above_2_to_53_stay_different(engine):
    big = 9007199254740992
    judgments = pl.DataFrame({"query_id": [1], "item_id": [big], "grade": [1]})
    run = pl.DataFrame({"query_id": [1], "chunk_id": [big + 1], "rank": [1]})
    result = tophit.evaluate(engine.frame(judgments), engine.frame(run), measures="Hit@1")
    assert result["Hit@1"].value == 0.0
    assert tophit.evaluate({1: [big]}, {1: [big + 1]}, measures="Hit@1")["Hit@1"].value == 0.0
    assert tophit.evaluate({1: [big]}, {1: [big]}, measures="Hit@1")["Hit@1"].value == 1.0


def test_ids_as_numbers_on_one_side_and_text_on_the_other(engine):
    judgments = pl.DataFrame({"query_id": [1, 2], "item_id": [10, 20], "grade": [1, 1]})
    run = pl.DataFrame({"query_id": ["1", "2"], "chunk_id": ["10", "20"], "rank": [1, 1]})
    result = tophit.evaluate(engine.frame(judgments), engine.frame(run))
    assert result["Hit@4"].value == 1.0
    floats = run.with_columns(pl.col("query_id", "chunk_id").cast(pl.Float64))
    assert tophit.evaluate(engine.frame(judgments), engine.frame(floats))["Hit@4"].value == 1.0


def test_equal_items_listed_twice_are_one():
    assert tophit.evaluate({"q": ["g", "g"]}, {"q": ["g"]}, measures="Recall@1")["R@1"].value == 1.0


def test_one_chunk_that_holds_two_items(engine):
    """By alternatives: both items have c as the chunk to match; no value exceeds 1."""
    judgments = pl.DataFrame(
        {
            "query_id": ["q", "q", "p", "p"],
            "item_id": ["one", "two", "one", "one"],
            "chunk_id": ["c", "c", "c", "d"],
            "grade": [1.0] * 4,
        }
    )
    run = pl.DataFrame(
        {"query_id": ["q", "q", "p", "p"], "chunk_id": ["c", "x", "d", "c"], "rank": [1, 2, 1, 2]}
    )
    measures = "nDCG@4 MAP Recall@4 All@4 MRR Rprec"
    result = tophit.evaluate(engine.frame(judgments), engine.frame(run), measures=measures)
    assert [score.value for score in result.values()] == [1.0] * 6


def test_two_runs_of_one_name_can_be_told_apart_by_the_caller():
    first = tophit.evaluate({"q": ["a"]}, {"q": ["a"]}, name="bm25")
    second = tophit.evaluate({"q": ["a"]}, {"q": ["b"]}, name="bm25")
    assert (first.name, second.name) == ("bm25", "bm25")
    assert first["Hit@4"].value != second["Hit@4"].value
