"""Lists as programs print them, as texts of JSON lines, objects and frames: read or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from tophit import evaluate
from tophit.errors import InputError

PRINTED = "['late fees' 'no fees']"
QUESTIONS = [{"id": "q", "expected": ["late fees"]}]


@pytest.mark.parametrize("door", ["jsonl", "objects"])
def test_a_string_that_is_a_list(door: str, tmp_path: Path) -> None:
    records: Any = [{"id": "q", "expected": PRINTED}]
    run: Any = [{"id": "q", "retrieved": "['x y' 'the late fees' 'and no fees']"}]
    if door == "jsonl":
        for name, lines in (("q", records), ("r", run)):
            (tmp_path / f"{name}.jsonl").write_text(json.dumps(lines[0]))
        records, run = tmp_path / "q.jsonl", tmp_path / "r.jsonl"
    result = evaluate(records, run, measures="Recall@2 Recall@3")
    assert [result[name].value for name in ("Recall@2", "Recall@3")] == [0.5, 1.0]


@pytest.mark.parametrize("cell", ["['late fees' 'no fe", "['a', 'b' 'c']", "nan", "None"])
def test_a_string_that_looks_like_a_list(cell: str) -> None:
    run = [{"id": "q", "retrieved": ["late fees"]}]
    with pytest.raises(InputError, match=r"expected: expected .*a list as JSON"):
        evaluate([{"id": "q", "expected": cell}], run)


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame])
def test_frames_have_one_text_in_a_row(library: Any) -> None:
    run = [{"id": "q", "retrieved": [{"text": "late fees"}]}]
    with pytest.raises(InputError, match=r"questions, text: expected one text in a row \(explode"):
        evaluate(library({"query_id": ["q"], "text": [PRINTED]}), run)
    frame = library({"query_id": ["q"], "text": [PRINTED], "rank": [1]})
    with pytest.raises(InputError, match="run, text: expected one text in a row"):
        evaluate(QUESTIONS, frame)


@pytest.mark.parametrize("text", ["[1] late fees [2]", "(late fees)", "['late fees'] or so"])
def test_prose_in_brackets_stays_one_text(text: str) -> None:
    run = [{"id": "q", "retrieved": [{"text": text}]}]
    result = evaluate([{"id": "q", "expected": text}], run, measures="MRR")
    assert result["MRR"].value == 1.0
