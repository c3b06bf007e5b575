"""A score beside a rank is information: whatever stands there, the ranks are read at every door."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tophit import evaluate
from tophit.errors import InputError

SCORES: dict[str, list[Any]] = {
    "NaN": [float("nan"), 0.5],
    "None": [None, 0.5],
    "text": ["high", "low"],
    "numbers as text": ["0.9", "0.5"],
    "nothing at all": [None, None],
}
QRELS = {"q": ["d2"]}


def rows(scores: list[Any]) -> dict[str, list[Any]]:
    return {"query_id": ["q", "q"], "chunk_id": ["d1", "d2"], "rank": [1, 2], "score": scores}


def put(door: str, scores: list[Any], folder: Path) -> Any:
    columns = rows(scores)
    if door == "jsonl":
        places = [
            {"id": key, "score": score}
            for key, score in zip(columns["chunk_id"], scores, strict=True)
        ]
        path = folder / "r.jsonl"
        path.write_text(json.dumps({"id": "q", "retrieved": places}))
        return path
    frame = pl.DataFrame(columns)
    if door in ("csv", "parquet", "xlsx"):
        path = folder / f"r.{door}"
        write = {"csv": frame.write_csv, "parquet": frame.write_parquet, "xlsx": frame.write_excel}
        write[door](path)
        return path
    if door == "polars":
        return frame
    if door == "pyarrow":
        return pa.table(columns)
    return (
        pd.DataFrame(columns)
        if door == "pandas"
        else [
            dict(zip(columns, values, strict=True))
            for values in zip(*columns.values(), strict=True)
        ]
    )


@pytest.mark.parametrize("scores", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize(
    "door", ["csv", "parquet", "xlsx", "jsonl", "polars", "pandas", "pyarrow", "rows"]
)
def test_read_at_every_door(door: str, scores: list[Any], tmp_path: Path) -> None:
    assert evaluate(QRELS, put(door, scores, tmp_path), measures="MRR")["MRR"].value == 0.5


@pytest.mark.parametrize("door", ["csv", "parquet", "polars", "pandas"])
def test_without_ranks_the_scores_must_be_numbers(door: str, tmp_path: Path) -> None:
    columns = rows(["high", "low"])
    del columns["rank"]
    frame = pl.DataFrame(columns)
    path = tmp_path / f"r.{door}"
    run: Any = {"polars": frame, "pandas": pd.DataFrame(columns)}.get(door, path)
    if run is path:
        (frame.write_csv if door == "csv" else frame.write_parquet)(path)
    with pytest.raises(InputError, match="score"):
        evaluate(QRELS, run, measures="MRR")
