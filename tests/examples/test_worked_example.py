"""The worked example: first hits at ranks 1, 3 and none give Hit@4 = 2/3 and MRR = 4/9."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import tophit
from tophit.formats import read_questions, read_run

JUDGMENTS = pl.DataFrame(
    {"query_id": ["q1", "q2", "q3"], "item_id": ["a", "b", "c"], "grade": [1.0, 1.0, 1.0]}
)
RUN = pl.DataFrame(
    {
        "query_id": ["q1"] * 2 + ["q2"] * 3 + ["q3"] * 4,
        "chunk_id": ["a", "x", "x", "y", "b", "x", "y", "z", "w"],
        "rank": [1, 2, 1, 2, 3, 1, 2, 3, 4],
    }
)


def check(result: tophit.Result) -> None:
    assert result["Hit@4"].value == pytest.approx(2 / 3, abs=1e-15)
    assert result["MRR"].value == pytest.approx(4 / 9, abs=1e-15)
    assert result["Hit@4"].n == 3


def test_on_every_engine(engine):
    result = tophit.evaluate(engine.frame(JUDGMENTS), engine.frame(RUN), measures="Hit@4 MRR")
    check(result)
    assert engine.collect(result.scores).sort("query_id")["MRR"].to_list() == pytest.approx(
        [1.0, 1 / 3, 0.0]
    )
    assert isinstance(result.scores, type(engine.frame(RUN)))


def test_questions_in_python_meet_a_run_on_any_engine(engine):
    judgments = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}, "q4": {}}
    result = tophit.evaluate(judgments, engine.frame(RUN), measures="Hit@4 MRR")
    check(result)
    assert result.questions.unanswerable == 1
    assert result.questions.total == 4


def test_only_unanswerable_questions(engine):
    result = tophit.evaluate(
        {"q1": [], "q2": {"b": 0}}, engine.frame(RUN), measures="Hit@4 MRR nDCG"
    )
    assert [(s.value, s.n, s.low) for s in result.values()] == [(0.0, 0, None)] * 3
    assert "no_answerable" in [warning.code for warning in result.warnings]


EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.mark.parametrize("kind", ["trec", "jsonl"])
def test_from_files_on_every_engine(engine, kind, tmp_path):
    if kind == "trec":
        asked, run = read_questions(EXAMPLES / "worked.qrels"), read_run(EXAMPLES / "worked.run")
    else:
        questions, retrieved = tmp_path / "questions.jsonl", tmp_path / "run.jsonl"
        expected = [(name, [{"id": item}]) for name, item in JUDGMENTS.select(
            "query_id", "item_id").rows()]  # fmt: skip
        records = [{"id": n, "question": "?", "expected": e} for n, e in [*expected, ("q4", [])]]
        questions.write_text("".join(json.dumps(record) + "\n" for record in records))
        places = RUN.group_by("query_id", maintain_order=True).agg("chunk_id").rows()
        records = [{"id": n, "retrieved": [{"id": i} for i in ids]} for n, ids in places]
        retrieved.write_text("".join(json.dumps(record) + "\n" for record in records))
        asked, run = read_questions(questions), read_run(retrieved)
    check(tophit.evaluate(asked, engine.frame(run.retrieved), measures="Hit@4 MRR"))
