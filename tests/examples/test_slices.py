"""Slices: the means of a tag's questions, of kinds without tags, at the command line, in gates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from click.testing import CliRunner
from jsonschema import validate

import tophit
from tophit.cli.commands import tophit as cli
from tophit.evaluation.overlap import overlaps
from tophit.formats import read_questions

if TYPE_CHECKING:
    from conftest import Engine

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema.json").read_text("utf-8"))


def asked(n: int, topic: str, *, start: int = 0) -> list[dict[str, Any]]:
    return [
        {
            "id": f"{topic}{number}",
            "question": f"What of {topic} number {number}?",
            "expected": [f"the fact of {topic} is {number} here"],
            "tags": {"topic": topic},
        }
        for number in range(start, start + n)
    ]


def returned(questions: list[dict[str, Any]], *, hits: int) -> list[dict[str, Any]]:
    return [
        {
            "id": each["id"],
            "retrieved": [{"text": each["expected"][0] if at < hits else "something else"}],
        }
        for at, each in enumerate(questions)
    ]


BILLING, LOGIN = asked(10, "billing"), asked(10, "login")


def values(result: tophit.Result, measure: str = "Hit@4") -> dict[str, float]:
    return {each.name: each.measures[measure].value for each in result.slices}


def test_a_slice_that_halves_shows_where_the_total_holds() -> None:
    questions = BILLING + LOGIN
    before = tophit.evaluate(
        questions, returned(BILLING, hits=8) + returned(LOGIN, hits=4), by="topic"
    )
    after = tophit.evaluate(
        questions, returned(BILLING, hits=4) + returned(LOGIN, hits=8), by="topic"
    )
    assert before["Hit@4"].value == after["Hit@4"].value == 0.6
    assert values(before) == {"topic=billing": 0.8, "topic=login": 0.4}
    assert values(after) == {"topic=billing": 0.4, "topic=login": 0.8}


def test_a_slice_is_what_its_questions_alone_give() -> None:
    run = returned(BILLING, hits=8) + returned(LOGIN, hits=4)
    sliced = tophit.evaluate(BILLING + LOGIN, run, by="topic", measures="Hit MRR nDCG")
    alone = tophit.evaluate(BILLING, run, measures="Hit MRR nDCG")
    assert dict(sliced.slice("topic", "billing").measures) == dict(alone.measures)


def test_questions_without_the_tag_have_a_slice_of_their_own() -> None:
    untagged = [{"id": "u", "question": "What else?", "expected": ["nothing else"]}]
    result = tophit.evaluate(BILLING + untagged, returned(BILLING, hits=10), by="topic")
    assert values(result) == {"topic=billing": 1.0, "topic=(none)": 0.0}


def test_a_field_that_nobody_has_is_an_error_that_lists_what_there_is() -> None:
    with pytest.raises(tophit.UsageError, match=r"topic.*overlap"):
        tophit.evaluate(BILLING, returned(BILLING, hits=1), by="topics")
    with pytest.raises(tophit.UsageError, match=r"unknown field.*overlap"):
        tophit.evaluate({"q": {"a": 1}}, {"q": ["a"]}, by="topic")


def test_slices_of_frames_on_every_engine(engine: Engine) -> None:
    judged = pl.DataFrame(
        {
            "query_id": ["q1", "q2", "q3"],
            "item_id": ["a", "b", "c"],
            "topic": ["x", "x", None],
        }
    )
    run = pl.DataFrame({"query_id": ["q1", "q2"], "chunk_id": ["a", "z"], "rank": [1, 1]})
    result = tophit.evaluate(engine.frame(judged), engine.frame(run), by="topic")
    assert values(result) == {"topic=x": 0.5, "topic=(none)": 0.0}
    assert [each.n for each in result.slices] == [2, 1]


def test_elements_bring_all_beside_hit() -> None:
    questions = [
        {"id": "one", "question": "?", "expected": ["first fact"]},
        {"id": "two", "question": "?", "expected": ["first fact", "second fact"]},
    ]
    run = [{"id": each["id"], "retrieved": [{"text": "the first fact"}]} for each in questions]
    result = tophit.evaluate(questions, run, by="elements", measures="Hit")
    assert values(result) == {"elements=one": 1.0, "elements=several": 1.0}
    assert values(result, "All@4") == {"elements=one": 1.0, "elements=several": 0.0}


def test_a_question_of_two_documents_is_in_both_slices() -> None:
    questions = [
        {
            "id": "q",
            "question": "Which?",
            "expected": [{"text": "one two", "doc": "a.md"}, {"text": "three four", "doc": "b.md"}],
        }
    ]
    run = [{"id": "q", "retrieved": [{"text": "one two", "doc": "a.md"}]}]
    result = tophit.evaluate(questions, run, by=["document", "language"], match="text")
    assert values(result) == {"document=a.md": 1.0, "document=b.md": 1.0, "language=Latin": 1.0}


def test_the_overlap_of_questions_written_from_their_passages(shared_data: Path) -> None:
    chroma = read_questions(shared_data / "chroma" / "questions_df.csv")
    assert overlaps(chroma)["overlap"].mean() == pytest.approx(0.52, abs=0.01)


def write(path: Path, records: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return str(path)


def eval_files(tmp_path: Path, *options: str) -> Any:
    questions = write(tmp_path / "q.jsonl", BILLING + LOGIN)
    run = write(tmp_path / "run.jsonl", returned(BILLING, hits=8) + returned(LOGIN, hits=4))
    return CliRunner().invoke(cli, ["eval", questions, run, *options])


def test_the_command_prints_slices_and_writes_them(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    result = eval_files(tmp_path, "--by", "topic", "--by", "overlap", "--json", str(out))
    assert result.exit_code == 0, result.output
    assert "by topic" in result.stdout
    assert "by overlap" in result.stdout
    assert "fewer than 20 questions" in result.stdout.replace("\n", " ")
    record = json.loads(out.read_text("utf-8"))
    validate(record, SCHEMA)
    assert record["runs"][0]["slices"]["topic"]["login"]["Hit@4"]["value"] == 0.4


def test_a_gate_on_a_slice(tmp_path: Path) -> None:
    failed = eval_files(tmp_path, "--fail-under", "topic=login:Hit@4=0.7")
    assert failed.exit_code == 1
    assert "topic=login: Hit@4" in failed.stderr
    assert eval_files(tmp_path, "--fail-under", "topic=billing:Hit@4=0.7").exit_code == 0
    unknown = eval_files(tmp_path, "--fail-under", "topic=logon:Hit@4=0.7")
    assert unknown.exit_code == 2
    assert "topic=login" in unknown.stderr


def test_markdown_has_the_slices(tmp_path: Path) -> None:
    out = tmp_path / "out.md"
    assert eval_files(tmp_path, "--by", "topic", "--markdown", str(out)).exit_code == 0
    assert "**by topic**" in out.read_text("utf-8")
