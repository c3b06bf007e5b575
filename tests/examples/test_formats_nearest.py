"""A file of no known format: what was seen, which format is nearest, and what it lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tophit.errors import InputError
from tophit.formats import read_chunks, read_questions, read_run, recognise


def put(folder: Path, text: str, name: str = "a.txt") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("q1 d1\nq2 d2\n", ["line 1", "found 2 columns, 'q1 d1'", "iter and rel are missing"]),
        ("q1 d1 1\nq2 d2 1\n", ["line 1", "found 3 columns, 'q1 d1 1'", "iter is missing"]),
        (
            "q1,d1,1\n",
            ["line 1", "'q1,d1,1'", "table, which needs names", "query_id,item_id,grade"],
        ),
        ("hello\n", ["line 1", "'hello'", "qid iter docno rel"]),
        (
            "id,query,answer\nq,W?,x\n",
            [
                "columns id, query, answer",
                "lacks what is expected: expected",
                "An answer is no evidence",
            ],
        ),
        ("q1\td1\nq2\td2\n", ["the columns q1, d1", "first line hold no names?"]),
        ('{"foo": 1}\n{"bar": 2}\n', ["keys bar, foo", "jsonl", "expected, text or item_id"]),
        ("[1, 2]", ["no objects, but 1"]),
        (
            '{"tests": [{"query": "W?"}]}',
            ["keys tests", "legalbench-rag, which needs snippets too"],
        ),
        ("user_input,response\nW?,x\n", ["columns user_input, response", "nearest is ragas"]),
        ("\n \n", ["nothing but blank lines"]),
        ("query_id,question\nq,W?\n", ["lacks what is expected"]),
    ],
)
def test_questions(text: str, says: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read_questions(put(tmp_path, text))
    for words in says:
        assert words in str(error.value)
    assert "autorag" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "q1 Q0 d1 1 0.5\n",
            ["line 1", "5 columns, 'q1 Q0 d1 1 0.5'", "one of them is missing, the tag"],
        ),
        ("q1,d1,1\n", ["query_id,chunk_id,rank"]),
        ("query_id,chunk_id\nq1,c1\n", ["lacks the order: a column rank or score"]),
        ("id,question\n1,W?\n", ["lacks what was retrieved"]),
        ('{"id": 1, "hits_": []}\n', ["keys hits_, id", "lacks what was retrieved: retrieved"]),
    ],
)
def test_runs(text: str, says: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read_run(put(tmp_path, text))
    for words in says:
        assert words in str(error.value)


def test_chunks_and_folders_and_no_role(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="lacks an id: chunk_id or id"):
        read_chunks(put(tmp_path, "a,text\n1,b\n"))
    with pytest.raises(InputError, match=r"found a folder\nhint: nearest is beir"):
        recognise(tmp_path)
    with pytest.raises(InputError, match="expected questions, a run or chunks, found a table"):
        recognise(put(tmp_path, "a,b\n1,2\n"))


def test_one_cause_is_one_message_with_a_count(tmp_path: Path) -> None:
    lines = "q1 Q0 d1 1 0.5\n" * 50
    with pytest.raises(InputError) as error:
        read_run(put(tmp_path, lines + "q1 Q0 d1 1 0.5 t\n"), format="trec")
    assert len(error.value.faults) == 50
    text = str(error.value)
    assert text.count("\n") == 0
    assert "line 1: expected 6 columns (qid Q0 docno rank score tag), found 5 (and 49 more" in text
