"""The worked example: first hits at ranks 1, 3 and none give Hit@4 = 2/3 and MRR = 4/9."""

from __future__ import annotations

import polars as pl
import pytest

import tophit

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
