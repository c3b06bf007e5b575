"""Matching by ids: what names an item, and what does not."""

from __future__ import annotations

import json

import polars as pl

import tophit


def test_a_text_item_has_no_id_that_a_chunk_could_bear(tmp_path):
    questions, run = tmp_path / "questions.jsonl", tmp_path / "run.jsonl"
    record = {"id": "q", "question": "?", "expected": ["some text", {"id": "c7"}]}
    questions.write_text(json.dumps(record) + "\n")
    places = [{"id": "e1"}, {"id": "c7"}]
    run.write_text(json.dumps({"id": "q", "retrieved": places}) + "\n")
    result = tophit.evaluate(str(questions), str(run), measures="Hit@1 Recall@4")
    assert result.match == "ids"
    assert (result["Hit@1"].value, result["Recall@4"].value) == (0.0, 0.5)


def test_without_text_an_item_is_named_by_its_id_where_no_other_is_given():
    judgments = pl.DataFrame(
        {"query_id": ["q", "q"], "item_id": ["a", "b"], "chunk_id": [None, "c"], "grade": [1, 1]}
    )
    result = tophit.evaluate(judgments, {"q": ["a", "c", "b"]}, measures="Recall@1 Recall@2")
    assert (result["Recall@1"].value, result["Recall@2"].value) == (0.5, 1.0)
