"""Whatever is handed in, what is raised derives from TophitError and says where."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pytest

import tophit
from tophit.errors import InputError, TophitError, UsageError

JUDGED, RUN = {"q1": {"a": 1}}, {"q1": ["a"]}


class Thing:
    """No value of any kind."""


def rows(**columns: Any) -> dict[str, list[Any]]:
    usual: dict[str, list[Any]] = {"query_id": ["q1"], "chunk_id": ["a"], "score": [1.0]}
    return usual | {name: [value] for name, value in columns.items()}


TWICE = pd.DataFrame([["q1", "a", "b", 1.0]], columns=["query_id", "chunk_id", "chunk_id", "score"])


@pytest.mark.parametrize(
    ("questions", "run", "says"),
    [
        (JUDGED, TWICE, "run: expected a frame of plain columns, found.*'chunk_id' 2 times"),
        (TWICE, RUN, "questions: expected a frame of plain columns"),
        (JUDGED, pd.DataFrame(rows(chunk_id=Thing())), "chunk_id: expected text or a number"),
        (JUDGED, pd.DataFrame(rows(score=Thing())), "score: expected text or numbers"),
        (JUDGED, pd.DataFrame(rows(text=Thing())), "text: expected text or numbers"),
        (JUDGED, pl.DataFrame(rows(chunk_id=Thing())), "chunk_id: expected text, found Object"),
        (JUDGED, Thing(), "run: expected a path, a data frame, a dict or a list"),
        (Thing(), RUN, "questions: expected a path, a data frame, a dict or a list"),
        ({"q1": {"a": 10**400}}, RUN, "grade in query 'q1': expected a number, found 1000"),
        (JUDGED, {"q1": [["a", "b", "c"]]}, r"query 'q1'\[0\]: expected an id, a document"),
        (JUDGED, {"q1": [{"id": {"a": 1}}]}, r"query 'q1'\[0\]\.id: expected an id, found an"),
        (JUDGED, {"q1": None}, "query 'q1': expected a list, found nothing"),
        (JUDGED, {"q1": "a"}, "query 'q1': expected a list, found 'a'"),
        (JUDGED, [{"id": "q1", "retrieved": None}], "expected a path, a data frame|a list"),
        (JUDGED, [{"id": "q1", "retrieved": "a"}], "retrieved: expected a list, found 'a'"),
        ([{"question": "Which?"}], RUN, "questions, expected: expected a list, found nothing"),
        (JUDGED, {"q1": [b"\xff"]}, "expected Unicode"),
    ],
)
def test_bad_input_is_said(questions, run, says):
    with pytest.raises(TophitError, match=says):
        tophit.evaluate(questions, run, measures="Hit@4 MAP nDCG")


@pytest.mark.parametrize("grade", [1e13, 1e300, 10**30])
def test_huge_grades_are_grades(grade):
    result = tophit.evaluate({"q1": {"a": grade}}, RUN, measures="Hit@4 nDCG@4")
    assert (result["Hit@4"].value, result["nDCG@4"].value) == (1.0, 1.0)
    other = tophit.evaluate({"q1": {"a": grade * 2}}, RUN, measures="Hit@4")
    assert result.fingerprints["questions"] != other.fingerprints["questions"]


@pytest.mark.parametrize("option", ["k", "depth"])
def test_huge_numbers_in_options(option):
    with pytest.raises(UsageError, match=f"{option} must be less than 2\\^53"):
        tophit.evaluate(JUDGED, RUN, **{option: 10**30})


@pytest.mark.parametrize("retriever", [Thing(), 3, Thing])
def test_a_retriever_without_a_known_method(retriever):
    with pytest.raises(UsageError, match="expected a retriever"):
        tophit.retrieve(None, {"q": "Which?"}, retriever=retriever)


def test_frames_with_a_list_in_each_row():
    asked = {"question": ["Which?"], "expected": [["late fees"]]}
    found = {"question": ["which?"], "contexts": [["the late fees", "x"]]}
    for frame in (pd.DataFrame, pl.DataFrame):
        result = tophit.evaluate(frame(asked), frame(found), measures="Hit@1")
        assert (result["Hit@1"].value, result.match) == (1.0, "text")


def test_frames_with_an_item_in_each_row():
    asked = {"question": ["Which?", "Which?"], "expected": ["late fees", "old maps"]}
    found = {"question": ["which?"], "passage": ["the late fees"], "rank": [1]}
    for frame in (pd.DataFrame, pl.DataFrame):
        result = tophit.evaluate(frame(asked), frame(found), measures="Recall@1")
        assert (result["Recall@1"].value, result.match) == (0.5, "text")


def test_the_question_s_id_is_never_taken_for_an_item():
    frame = pl.DataFrame({"id": ["q1"], "query": ["Which?"], "answer": ["Those."]})
    with pytest.raises(InputError, match="item_id: expected a column item_id, or text"):
        tophit.evaluate(frame, RUN)
    asked = pl.DataFrame({"id": ["q1"], "query": ["Which?"], "doc_id": ["a"], "grade": [1]})
    assert tophit.evaluate(asked, RUN, measures="Hit@1")["Hit@1"].value == 1.0
