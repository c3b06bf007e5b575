"""YAML: the records that it stands for, its scalars as they are, and a key twice refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tophit.errors import InputError
from tophit.formats import read_chunks, read_questions, read_run, recognise


def put(folder: Path, text: str, name: str = "a.yaml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


QUESTIONS = """
- id: 007
  question: Which fees?
  expected:
    - late fees
    - text: no fees
      doc: a.md
      start: 10
      end: 17
      grade: 2.0
    - any_of: [one, two]
- id: q2
  question: Why?
  expected: []
"""


@pytest.mark.parametrize("wrap", [False, True])
def test_own_questions(wrap: bool, tmp_path: Path) -> None:
    text = "questions:" + QUESTIONS.replace("\n", "\n  ") if wrap else QUESTIONS
    questions = read_questions(put(tmp_path, text))
    assert recognise(tmp_path / "a.yaml").name == "jsonl"
    assert questions.queries.rows() == [("007", "Which fees?"), ("q2", "Why?")]
    assert questions.judgments["text"].to_list() == ["late fees", "no fees", "one", "two"]
    assert questions.judgments["grade"].to_list() == [1.0, 2.0, 1.0, 1.0]


def test_runs_and_chunks(tmp_path: Path) -> None:
    text = "- id: q1\n  retrieved:\n  - {id: 1_000, score: 0.5}\n  - {id: no, score: 1}\n"
    run = read_run(put(tmp_path, text))
    assert run.retrieved.rows() == [("q1", "1_000", 1, 0.5), ("q1", "no", 2, 1.0)]
    chunks = read_chunks(put(tmp_path, "---\nid: c1\ntext: a b\n---\nid: c2\ntext: |\n  c\n"))
    assert chunks.rows() == [("c1", "a b"), ("c2", "c\n")]


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        (QUESTIONS + "  question: Who?\n", 15, "question"),
        ("questions:\n- id: a\n  required_chunks: [b]\n  id: c\n", 4, "id"),
        ("id: a\nid: b\n", 2, "id"),
        ("- {id: a, expected: [{text: b, text: c}]}\n", 1, "text"),
    ],
)
def test_a_key_twice_is_refused(text: str, line: int, key: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"line {line}: .* found the key '{key}' twice"):
        read_questions(put(tmp_path, text))


def test_faults_have_lines(tmp_path: Path) -> None:
    text = "- id: a\n  expected: [b]\n- id: c\n  expected:\n  - grade: 1\n"
    with pytest.raises(InputError, match="line 3, expected"):
        read_questions(put(tmp_path, text))
    with pytest.raises(InputError, match="line 2: expected YAML"):
        read_questions(put(tmp_path, "- id: a\n  b: c: d\n"))


@pytest.mark.parametrize("value", ["[" * 3000, "&a [*a]"])
def test_what_no_file_should_hold(value: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected YAML"):
        read_questions(put(tmp_path, f"- id: q\n  expected: {value}\n"))
