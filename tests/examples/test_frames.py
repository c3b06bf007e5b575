"""Whatever holds the data in Python gives the same values, and comes back in its own kind."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tophit
from tophit.errors import InputError, UsageError

Qrel = namedtuple("Qrel", ["query_id", "doc_id", "relevance", "iteration"], defaults=["0"])
ScoredDoc = namedtuple("ScoredDoc", ["query_id", "doc_id", "score"])

JUDGMENTS = pl.DataFrame(
    {"query_id": ["q2", "q1", "q3"], "item_id": ["b", "a", "c"], "grade": [1.0, 2.0, 1.0]}
)
RUN = pl.DataFrame(
    {
        "query_id": ["q1", "q2", "q2", "q3"],
        "chunk_id": ["a", "x", "b", "z"],
        "score": [0.9, 0.8, 0.7, 0.6],
    }
)
RIGHT = {"q2": 0.5, "q1": 1.0, "q3": 0.0}


def mrr(judgments, run, **options) -> tophit.Result:
    result = tophit.evaluate(judgments, run, measures="MRR", **options)
    assert result["MRR"].value == pytest.approx(0.5)
    assert result["MRR"].n == 3
    return result


@dataclass
class Place:
    qid: str
    docno: str
    score: float


KINDS = {
    "polars": lambda frame: frame,
    "polars lazy": lambda frame: frame.lazy(),
    "pandas": lambda frame: frame.to_pandas(),
    "pandas with objects": lambda frame: frame.to_pandas().astype(object),
    "pandas nullable": lambda frame: frame.to_pandas().convert_dtypes(),
    "pandas on arrow": lambda frame: frame.to_pandas(use_pyarrow_extension_array=True),
    "pandas categories": lambda frame: frame.to_pandas().astype({"query_id": "category"}),
    "pyarrow": lambda frame: frame.to_arrow(),
    "narwhals": nw.from_native,
    "narwhals lazy": lambda frame: nw.from_native(frame.lazy()),
}


@pytest.mark.parametrize("kind", KINDS)
def test_frames_come_back_in_their_kind_and_in_the_order_of_the_questions(kind):
    run = KINDS[kind](RUN)
    scores = mrr(KINDS[kind](JUDGMENTS), run).scores
    assert type(scores) is type(run)
    rows = nw.from_native(scores).lazy().collect().to_polars()
    assert dict(rows.iter_rows()) == RIGHT
    assert rows["query_id"].to_list() == list(RIGHT)


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_passed_in_stays_as_it_was(kind):
    run, judgments = KINDS[kind](RUN), KINDS[kind](JUDGMENTS)
    before = [str(nw.from_native(f).lazy().collect().to_native()) for f in (run, judgments)]
    mrr(judgments, run)
    assert before == [str(nw.from_native(f).lazy().collect().to_native()) for f in (run, judgments)]


def test_the_kind_is_that_of_the_questions_where_the_run_is_no_frame():
    scores = mrr(JUDGMENTS.to_pandas(), {"q1": ["a"], "q2": ["x", "b"], "q3": ["z"]}).scores
    assert isinstance(scores, pd.DataFrame)


def test_dicts_and_lists_give_polars_in_the_order_of_the_questions():
    judgments = {"q2": ["b"], "q1": {"a": 2}, "q3": {"c"}}
    for run in (
        {"q1": ["a"], "q2": ["x", "b"], "q3": ["z"]},
        {"q1": {"a": 1}, "q2": {"x": np.float32(2), "b": np.int8(1)}, "q3": {"z": "0.5"}},
        {"q1": [{"id": "a"}], "q2": [("x", 0.5), ("b", 0.4)], "q3": [{"id": "z", "text": "t"}]},
        {"q1": ("a",), "q2": np.array(["x", "b"]), "q3": pd.Series(["z"])},
    ):
        assert dict(mrr(judgments, run).scores.iter_rows()) == RIGHT


def test_named_tuples_dataclasses_and_dicts_of_columns():
    qrels = [Qrel("q2", "b", 1), Qrel("q1", "a", 2), Qrel("q3", "c", 1)]
    docs = [ScoredDoc(*row) for row in RUN.iter_rows()]
    for run in (docs, iter(docs), [Place(*row) for row in RUN.iter_rows()], RUN.to_dicts()):
        assert dict(mrr(qrels, run).scores.iter_rows()) == RIGHT


def test_mixed_kinds():
    mrr(JUDGMENTS.to_arrow(), RUN.to_pandas())
    mrr({"q2": ["b"], "q1": ["a"], "q3": ["c"]}, RUN.lazy())


def test_duckdb_from_the_default_connection_and_from_others(tmp_path):
    run, judgments = RUN.to_arrow(), JUDGMENTS.to_arrow()
    mrr(duckdb.sql("from judgments"), duckdb.sql("from run"))
    first, second = duckdb.connect(), duckdb.connect(str(tmp_path / "questions.db"))
    result = mrr(second.from_arrow(judgments), first.from_arrow(run))
    assert dict(result.scores.fetchall()) == RIGHT
    mrr(second.from_arrow(judgments), RUN)
    mrr(JUDGMENTS.to_pandas(), first.from_arrow(run))


def test_a_run_on_spark_meets_judgments_in_duckdb(spark_session):
    run = spark_session.createDataFrame(RUN.to_arrow())
    scores = mrr(duckdb.from_arrow(JUDGMENTS.to_arrow()), run).scores
    assert {row["query_id"]: row["MRR"] for row in scores.collect()} == RIGHT


def test_usual_other_names_of_columns():
    judgments = JUDGMENTS.rename({"query_id": "QID", "item_id": " docno", "grade": "Rel"})
    run = RUN.rename({"query_id": "topic", "chunk_id": "pid", "score": "similarity"})
    mrr(judgments, run)
    mrr(judgments.rename({" docno": "corpus-id", "Rel": "score"}), run)
    mrr(JUDGMENTS.rename({"item_id": "doc_id"}), RUN.rename({"chunk_id": "doc_id"}))


def test_a_chunk_id_is_taken_before_a_document_id():
    judgments = JUDGMENTS.rename({"item_id": "chunk_id"}).with_columns(doc_id=pl.lit("d"))
    run = RUN.rename({"chunk_id": "id"}).with_columns(doc_id=pl.lit("e"))
    assert mrr(judgments, run).match == "ids"


def test_an_item_may_name_a_whole_document():
    judgments = pl.DataFrame({"query_id": ["q"], "item_id": ["guide"], "grade": [1]})
    run = pl.DataFrame(
        {"query_id": ["q"] * 3, "chunk_id": ["c1", "c2", "c3"], "doc_id": ["faq", "guide", "guide"],
         "rank": [1, 2, 3]}
    )  # fmt: skip
    result = tophit.evaluate(judgments, run, measures="MRR Recall@3 nDCG Judged@3")
    assert [s.value for s in result.values()] == pytest.approx([0.5, 1, 0.6309297535714575, 2 / 3])


def test_ids_of_many_kinds_are_one_id():
    judgments = pd.DataFrame({"query_id": pd.Series([1, "2", 3.0], dtype=object), "item_id": 7})
    run = pd.DataFrame({"query_id": ["1", "2", "3"], "chunk_id": np.array([7, 7, 7]), "rank": 1})
    result = tophit.evaluate(judgments, run)
    assert result["Hit@4"].value == 1.0
    assert tophit.evaluate({np.int64(1): [7.0]}, {"1": [np.str_("7")]})["Hit@4"].value == 1.0


def test_float_ids_that_are_no_whole_numbers_keep_their_fraction(engine):
    judgments = pl.DataFrame({"query_id": [1.0], "item_id": [1.5], "grade": [1.0]})
    run = pl.DataFrame({"query_id": [1.0, 1.0], "chunk_id": [1.0, 1.5], "rank": [1, 2]})
    result = tophit.evaluate(engine.frame(judgments), engine.frame(run), measures="MRR")
    assert result["MRR"].value == 0.5


def test_text_items_without_ids_are_numbered():
    judgments = pl.DataFrame({"query_id": ["q", "q", "p"], "text": ["one", "two", None]})
    run = pl.DataFrame({"query_id": ["q"], "chunk_id": ["c"], "rank": [1], "text": ["one two"]})
    result = tophit.evaluate(judgments, run, measures="Recall@1")
    assert (result["Recall@1"].value, result["Recall@1"].n, result.match) == (1.0, 1, "text")


def test_all_null_columns_are_no_fault():
    run = RUN.with_columns(text=pl.lit(None), tokens=pl.lit(None))
    mrr(JUDGMENTS, run)


def test_a_missing_score_is_no_fault_where_the_given_order_counts():
    run = pl.DataFrame(
        {"query_id": ["q1", "q2", "q2", "q3"], "chunk_id": ["a", "x", "b", "z"],
         "rank": [1, 1, 2, 1], "score": [0.5, None, None, None]}
    )  # fmt: skip
    mrr(JUDGMENTS, run)


BAD_RUNS: dict[str, Any] = {
    "NaN": ({"score": [0.9, float("nan"), 0.7, 0.6]}, "score", "NaN"),
    "missing score": ({"score": [0.9, None, 0.7, 0.6]}, "score", "nothing"),
    "negative rank": ({"rank": [1, -1, 2, 1]}, "rank", "-1"),
    "broken rank": ({"rank": [1.0, 1.5, 2.0, 1.0]}, "rank", "1.5"),
    "missing rank": ({"rank": [1, None, 2, 1]}, "rank", "nothing"),
    "text scores": ({"score": ["high", "low", "0.5", "1"]}, "score", "String"),
    "missing query": ({"query_id": ["q1", None, "q2", "q3"]}, "query_id", "nothing"),
    "empty query": ({"query_id": ["q1", "", "q2", "q3"]}, "query_id", "nothing"),
    "large float ids": ({"chunk_id": [1.0, 2.0, 2.0**53, 3.0]}, "chunk_id", "larger"),
    "lists for ids": ({"chunk_id": [["a"], ["b"], ["c"], ["d"]]}, "chunk_id", "List"),
}


def bad_run(name: str) -> tuple[pl.DataFrame, str, str]:
    columns, field, found = BAD_RUNS[name]
    base = RUN.drop("score") if "rank" in columns else RUN
    return (
        base.with_columns(**{key: pl.Series(values) for key, values in columns.items()}),
        field,
        found,
    )


@pytest.mark.parametrize("name", BAD_RUNS)
def test_wrong_values_of_a_run(name):
    run, field, found = bad_run(name)
    for kind in ("polars", "polars lazy", "pandas", "pyarrow"):
        with pytest.raises(InputError) as error:
            tophit.evaluate(JUDGMENTS, KINDS[kind](run))
        assert error.value.faults[0].field == field
        assert error.value.faults[0].file == "run"
        assert kind != "polars" or found in error.value.faults[0].found


@pytest.mark.parametrize("name", ["NaN", "missing score", "negative rank", "missing query"])
def test_wrong_values_of_a_run_on_every_engine(engine, name):
    run, field, found = bad_run(name)
    with pytest.raises(InputError) as error:
        tophit.evaluate(engine.frame(JUDGMENTS), engine.frame(run))
    assert error.value.faults[0].field == field
    assert found in error.value.faults[0].found


def test_all_kinds_of_faults_are_named_at_once():
    run = RUN.with_columns(
        query_id=pl.Series(["q1", None, "q2", None]), score=pl.Series([1.0, float("nan"), 2.0, 3.0])
    )
    with pytest.raises(InputError) as error:
        tophit.evaluate(JUDGMENTS, run)
    assert [fault.field for fault in error.value.faults] == ["query_id", "score"]
    assert "2 rows" in str(error.value)


@pytest.mark.parametrize("grade", [None, float("nan"), float("inf")])
def test_a_grade_that_is_no_finite_number(grade):
    judgments = JUDGMENTS.with_columns(grade=pl.Series([1.0, grade, 1.0], dtype=pl.Float64))
    with pytest.raises(InputError, match="grade"):
        tophit.evaluate(judgments, RUN)


def test_two_grades_for_one_item(engine):
    judgments = pl.concat([JUDGMENTS, JUDGMENTS.with_columns(pl.col("grade") * 2)])
    with pytest.raises(InputError, match="one grade for 'a' in query 'q1', found 2 and 4"):
        tophit.evaluate(engine.frame(judgments), engine.frame(RUN))


@pytest.mark.parametrize(
    ("questions", "run"),
    [
        ({"q": {"a": "high"}}, {"q": ["a"]}),
        ({"q": {"a": 1}}, {"q": {"a": "abc"}}),
        ({"q": {"a": 1}}, {"q": {"a": float("nan")}}),
        ({"q": {"a": 1}}, {"q": {"a": None}}),
        ({"q": "a"}, {"q": ["a"]}),
        ({"q": ["a"]}, {"q": "a"}),
        ({"q": ["a"]}, {"q": 3}),
        ({"q": None}, {"q": ["a"]}),
        ({"q": ["a"], "p": ["a"]}, {"q": ["a"], "p": {"a": 1}}),
        ({"q": [["a"]]}, {"q": ["a"]}),
        ({1: ["a"], "1": ["b"]}, {"1": ["a"]}),
        ({"1": ["a"]}, {1: ["a"], "1": ["b"]}),
        ({None: ["a"]}, {"q": ["a"]}),
        (JUDGMENTS, RUN.drop("score")),
        (JUDGMENTS, RUN.drop("chunk_id")),
        (JUDGMENTS.drop("query_id"), RUN),
        (JUDGMENTS.drop("item_id"), RUN),
        (JUDGMENTS, {"q": [{"id": "a", "start": "x"}]}),
    ],
)
def test_wrong_input_is_an_error_on_purpose(questions, run):
    with pytest.raises(InputError):
        tophit.evaluate(questions, run)


@pytest.mark.parametrize("questions", [None, 3, [1, 2], ["q1"], object()])
def test_what_holds_no_questions(questions):
    with pytest.raises(UsageError):
        tophit.evaluate(questions, RUN)
    with pytest.raises(UsageError):
        tophit.evaluate(questions)


@pytest.mark.parametrize(
    "options",
    [
        {"k": 0}, {"k": -1}, {"k": 2.5}, {"k": "four"}, {"measures": "Hit@0"}, {"measures": "P@-1"},
        {"measures": "Hit@2.5"}, {"measures": "Hitt"}, {"measures": ""}, {"measures": "RBP(p=2)"},
        {"depth": 0}, {"depth": 2.5}, {"depth": True}, {"min_grade": "high"}, {"level": 2},
        {"min_grade": float("nan")}, {"population": "all"}, {"match": "magic"},
    ],
    ids=str,
)  # fmt: skip
def test_wrong_options(options):
    with pytest.raises(UsageError):
        tophit.evaluate(JUDGMENTS, RUN, **options)


def test_the_same_measure_twice_is_one():
    result = tophit.evaluate(JUDGMENTS, RUN, measures=["Hit@4", "success_4", "HR@4"], k=np.int64(4))
    assert list(result) == ["Hit@4"]


def test_a_run_in_arrow_with_dictionaries_and_large_text():
    table = RUN.to_arrow()
    table = table.set_column(0, "query_id", table["query_id"].cast(pa.string()).dictionary_encode())
    mrr(JUDGMENTS, table)


HALF = "a\ud800"


@pytest.mark.parametrize(
    ("questions", "run"),
    [
        ({HALF: ["a"]}, {"q": ["a"]}),
        ({"q": [HALF]}, {"q": ["a"]}),
        ({"q": {HALF: 1}}, {"q": ["a"]}),
        ({"q": ["a"]}, {"q": [HALF]}),
        ({"q": ["a"]}, {"q": {HALF: 1.0}}),
        ({"q": ["a"]}, {"q": [{"id": HALF, "text": "x"}]}),
        ({"q": ["a"]}, {"q": [{"id": "a", "text": HALF}]}),
        ({"q": ["a"]}, {"q": [b"a\xff"]}),
        ([{"query_id": "q", "item_id": HALF}], {"q": ["a"]}),
        ([{"query_id": "q", "text": HALF}], {"q": ["a"]}),
    ],
)
def test_half_a_surrogate_pair_is_a_fault_of_the_input(questions, run):
    with pytest.raises(tophit.InputError, match=r"\\udc|\\ud8"):
        tophit.evaluate(questions, run)


def test_a_measure_that_was_not_evaluated_has_a_default():
    result = tophit.evaluate({"q": ["a"]}, {"q": ["a"]}, measures="Hit@4")
    assert result.get("MRR") is None
    assert result.get("MRR", 0.5) == 0.5
    assert result.get("hit_rate@4") == result["Hit@4"]
    with pytest.raises(tophit.UsageError, match=r"^MRR was not evaluated \(has: Hit@4\)$"):
        result["MRR"]
    with pytest.raises(tophit.UsageError, match="did you mean"):
        result.get("Hitt@4")
