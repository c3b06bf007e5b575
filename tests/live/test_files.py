"""What a run's file keeps beside the places; a question's history and filter."""

from __future__ import annotations

import json

import pytest

from tophit.errors import InputError
from tophit.formats import read_questions, read_run, write_questions, write_run
from tophit.retrieval import retrieve

LINE = {
    "id": "q1",
    "question": "Which fees?",
    "retrieved": [{"id": "a", "text": "late fees", "score": 0.5, "doc": "a.md"}],
    "answer": "late ones",
    "latency_ms": 12.5,
    "stages": {
        "bm25": [{"id": "b", "text": "taxes"}, {"id": "a", "score": 3.0}],
        "dense": [{"id": "a", "score": 0.5}],
    },
}


def test_stages_and_latency_are_read_and_written(tmp_path):
    first, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.write_text(json.dumps(LINE) + "\n")
    run = read_run(first)
    assert run.warnings == ()
    assert run.stages.select("stage", "chunk_id", "rank", "text", "doc_id").rows() == [
        ("bm25", "b", 1, "taxes", None),
        ("bm25", "a", 2, "late fees", "a.md"),
        ("dense", "a", 1, "late fees", "a.md"),
    ]
    assert run.latency.rows() == [("q1", 12.5)]
    write_run(run, again)
    assert json.loads(again.read_text()) == LINE


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stages": ["a"]}, "line 1, stages: expected lists by the names of the stages"),
        ({"stages": {"bm25": "a"}}, r"line 1, stages\.bm25: expected a list"),
        ({"stages": {"bm25": [{"score": 1}]}}, r"line 1, stages\.bm25\[0\]: expected an id"),
        ({"latency_ms": "fast"}, "line 1, latency_ms: expected a number, found 'fast'"),
    ],
)
def test_faults(tmp_path, change, message):
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps(LINE | change))
    with pytest.raises(InputError, match=message):
        read_run(path)


def test_history_and_filter_reach_the_retriever(tmp_path):
    path, again = tmp_path / "q.jsonl", tmp_path / "again.jsonl"
    lines = [
        {"id": "q1", "question": "And then?", "expected": [], "history": [{"user": "Which?"}]},
        {"id": "q2", "question": "Which?", "expected": [], "filter": {"lang": "en"}},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    questions = read_questions(path)
    assert questions.warnings == ()
    asked = []

    def search(question, history, filter):  # noqa: A002
        asked.append((question, history, filter))
        return []

    retrieve(None, questions, retriever=search)
    assert asked == [("And then?", [{"user": "Which?"}], None), ("Which?", None, {"lang": "en"})]
    write_questions(questions, again)
    assert [json.loads(line) for line in again.read_text().splitlines()] == lines


def test_hybrid_records_its_stages(tmp_path):
    import polars as pl

    chunks = pl.DataFrame({"chunk_id": ["a", "b"], "text": ["late fees", "taxes in April"]})

    def late_ones(question, texts):
        return [float("April" in text) for text in texts]

    asked = {"q1": "Which fees?"}
    run = retrieve(chunks, asked, retriever="hybrid", depth=1, reranker=late_ones)
    write_run(run, tmp_path / "run.jsonl")
    back = read_run(tmp_path / "run.jsonl")
    assert back.stages.equals(run.stages)
    assert back.stages["stage"].unique(maintain_order=True).to_list() == ["bm25", "dense", "fused"]
    assert back.retrieved["chunk_id"].to_list() == ["b"]
