"""The demo's questions: enough of them, and every expected element stands in its page once."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tophit.formats import read_questions

DOCS = Path(__file__).parents[2] / "docs"
RECORDS = [json.loads(line) for line in (DOCS / "questions.jsonl").read_text("utf-8").splitlines()]
ANSWERABLE = [record for record in RECORDS if record["expected"]]


def folded(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def pieces(record) -> list[dict[str, str]]:
    return [piece for item in record["expected"] for piece in item.get("any_of", [item])]


def test_enough_questions_of_every_kind():
    assert len(ANSWERABLE) >= 40
    assert len(RECORDS) - len(ANSWERABLE) >= 6
    assert sum(len(record["expected"]) > 1 for record in RECORDS) >= 4
    assert sum("any_of" in item for record in RECORDS for item in record["expected"]) >= 4
    assert sum(len(piece["text"]) > 200 for r in ANSWERABLE for piece in pieces(r)) >= 8


def test_ids_and_wordings_are_unique():
    assert len({record["id"] for record in RECORDS}) == len(RECORDS)
    assert len({record["question"].casefold() for record in RECORDS}) == len(RECORDS)


def test_every_question_has_its_tags():
    assert {frozenset(record["tags"]) for record in RECORDS} == {frozenset({"topic", "kind"})}
    unanswerable = {r["id"] for r in RECORDS if r["tags"]["kind"] == "unanswerable"}
    assert unanswerable == {record["id"] for record in RECORDS if not record["expected"]}


@pytest.mark.parametrize("record", ANSWERABLE, ids=lambda record: record["id"])
def test_expected_elements_stand_in_their_page_exactly_once(record):
    for piece in pieces(record):
        page = folded((DOCS / piece["doc"]).read_text("utf-8"))
        assert page.count(piece["text"]) == 1, f"{piece['doc']}: {piece['text']}"


def test_questions_do_not_give_their_answer_away():
    for record in ANSWERABLE:
        for piece in pieces(record):
            assert piece["text"].casefold() not in record["question"].casefold()


def test_many_pages_are_asked_about():
    asked = Counter(piece["doc"] for record in ANSWERABLE for piece in pieces(record))
    assert len(asked) >= 12


def test_the_file_is_read_as_it_is_meant():
    questions = read_questions(DOCS / "questions.jsonl")
    assert questions.queries.height == len(RECORDS)
    assert questions.judgments["query_id"].n_unique() == len(ANSWERABLE)
    assert questions.warnings == ()
