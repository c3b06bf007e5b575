"""Fingerprints: equal for the same content, however it is written down, and for nothing else."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from tophit import Questions, evaluate
from tophit.evaluation.fingerprint import corpus_fingerprint, questions_fingerprint
from tophit.formats import read_questions

QUERIES = pl.DataFrame({"query_id": ["q1", "q2"], "question": ["Who?", "Why?"]})
JUDGMENTS = pl.DataFrame(
    {"query_id": ["q1", "q1"], "item_id": ["a", "b"], "grade": [1.0, 2.0], "text": ["x", None]}
)


def of(queries: pl.DataFrame = QUERIES, judgments: pl.DataFrame = JUDGMENTS) -> str:
    return questions_fingerprint(Questions(queries=queries, judgments=judgments))


def test_order_empty_columns_tags_and_number_types_are_nothing() -> None:
    assert of(QUERIES.reverse(), JUDGMENTS.reverse()) == of()
    assert of(judgments=JUDGMENTS.with_columns(doc_id=pl.lit(None, pl.String))) == of()
    assert of(QUERIES.with_columns(pl.lit("x").alias("tag.topic"))) == of()
    assert of(judgments=JUDGMENTS.with_columns(pl.col("grade").cast(pl.Float32))) == of()
    assert of(judgments=JUDGMENTS.select("grade", "text", "item_id", "query_id")) == of()


@pytest.mark.parametrize(
    "changed",
    [
        JUDGMENTS.with_columns(grade=pl.Series([1.0, 3.0])),
        JUDGMENTS.with_columns(item_id=pl.Series(["a", "c"])),
        JUDGMENTS.with_columns(text=pl.Series(["y", None])),
        JUDGMENTS.with_columns(text=pl.Series(["x", ""])),
        JUDGMENTS.head(1),
        JUDGMENTS.with_columns(start=pl.Series([3, None])),
    ],
)
def test_another_expectation_is_another_fingerprint(changed: pl.DataFrame) -> None:
    assert of(judgments=changed) != of()


def test_another_question_is_another_fingerprint() -> None:
    assert of(QUERIES.head(1)) != of()
    assert of(QUERIES.with_columns(question=pl.Series(["Who?", "When?"]))) != of()


def test_a_corpus_is_its_texts_not_its_tokens() -> None:
    chunks = pl.DataFrame({"chunk_id": ["1", "2"], "text": ["x", "y"], "tokens": [3, 4]})
    assert corpus_fingerprint(chunks) == corpus_fingerprint(chunks.reverse().drop("tokens"))
    swapped = chunks.with_columns(text=pl.Series(["y", "x"]))
    assert corpus_fingerprint(chunks) != corpus_fingerprint(swapped)
    assert corpus_fingerprint(chunks.clear()) != corpus_fingerprint(chunks)


def test_a_result_carries_them_whatever_its_questions_are_held_in(tmp_path) -> None:
    path = tmp_path / "judged.qrels"
    path.write_text("q2 0 b 1\nq1 0 a 1\n", encoding="utf-8")
    frame = pl.DataFrame({"query_id": ["q1", "q2"], "item_id": ["a", "b"], "grade": [1, 1]})
    held = [path, str(path), frame, frame.lazy(), frame.to_pandas(), {"q1": ["a"], "q2": ["b"]}]
    held += [read_questions(path), {"q2": {"b": 1}, "q1": {"a": 1.0}}, frame.rows(named=True)]
    found = [evaluate(questions, {"q1": ["a"]}).fingerprints for questions in held]
    assert {one["questions"] for one in found} == {questions_fingerprint(read_questions(path))}
    assert {tuple(one) for one in found} == {("questions", "settings")}


def test_a_result_knows_its_corpus_where_the_chunks_are_given(tmp_path) -> None:
    path = tmp_path / "chunks.jsonl"
    path.write_text('{"id": "c1", "text": "x"}\n{"id": "c2", "text": "y"}\n', encoding="utf-8")
    chunks = pl.DataFrame({"chunk_id": ["c2", "c1"], "text": ["y", "x"]})
    for given in (path, chunks, chunks.lazy(), chunks.to_pandas()):
        found = evaluate({"q1": ["c1"]}, {"q1": ["c1"]}, chunks=given)
        assert found.fingerprints["corpus"] == corpus_fingerprint(chunks)


def test_what_is_on_an_engine_has_no_fingerprint(engine: Any) -> None:
    judged = engine.frame(pl.DataFrame({"query_id": ["q1"], "item_id": ["a"], "grade": [1.0]}))
    run = engine.frame(pl.DataFrame({"query_id": ["q1"], "chunk_id": ["a"], "rank": [1]}))
    chunks = engine.frame(pl.DataFrame({"chunk_id": ["a"], "text": ["x"]}))
    there = [] if engine.name != "polars" else ["questions", "corpus"]
    assert list(evaluate(judged, run, chunks=chunks).fingerprints) == [*there, "settings"]
    here = evaluate({"q1": ["a"]}, run).fingerprints
    assert here == evaluate({"q1": ["a"]}, {"q1": ["a"]}).fingerprints
