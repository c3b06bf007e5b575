"""The doors: every way in which the same questions and lists can be handed in."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

Records = list[dict[str, Any]]
Door = Callable[[Records, Records], tuple[Any, Any]]

FLAT = {
    "question": ("id", "question", "tags"),
    "item": {"id": "item_id", "text": "text", "doc": "doc_id", "grade": "grade"},
    "place": {"id": "chunk_id", "text": "text", "doc": "doc_id", "score": "score"},
}
TYPES = {
    "query_id": pl.String, "question": pl.String, "item_id": pl.String, "chunk_id": pl.String,
    "text": pl.String, "doc_id": pl.String, "start": pl.Int64, "end": pl.Int64,
    "grade": pl.Float64, "rank": pl.Int64, "score": pl.Float64,
}  # fmt: skip


def _row(record: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in record.items()}


def _rows(records: Records, listed: str, names: dict[str, str], empty: bool) -> pl.DataFrame:
    """A row an element: what tables and frames hold."""
    rows: list[dict[str, Any]] = []
    for record in records:
        asked = {"query_id": record.get("id"), "question": record.get("question")}
        elements = [
            {"text": element} if isinstance(element, str) else element for element in record[listed]
        ]
        if listed == "expected":
            elements = [{"grade": 1.0, **element} for element in elements]
        for rank, element in enumerate(elements, start=1):
            order = {"rank": rank} if listed == "retrieved" else {}
            rows.append({**asked, **_row(element, names), **order})
        if empty and not elements:
            rows.append(asked)
    columns = [name for name in TYPES if any(row.get(name) is not None for row in rows)]
    data = {
        name: [None if row.get(name) is None else _typed(row[name], name) for row in rows]
        for name in columns
    }
    return pl.DataFrame(data, schema={name: TYPES[name] for name in columns})


def _typed(value: Any, name: str) -> Any:
    return str(value) if TYPES[name] == pl.String else value


def flat(questions: Records, run: Records) -> tuple[pl.DataFrame, pl.DataFrame]:
    asked = _rows(questions, "expected", FLAT["item"], empty=True)
    return asked, _rows(run, "retrieved", FLAT["place"], empty=False)


@dataclass(frozen=True)
class _Folder:
    path: Path

    def lines(self, name: str, records: Records) -> Path:
        path = self.path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        return path

    def array(self, name: str, records: Records) -> Path:
        path = self.path / f"{name}.json"
        path.write_text(json.dumps(records, ensure_ascii=False), "utf-8")
        return path

    def table(self, name: str, frame: pl.DataFrame, ending: str) -> Path:
        path = self.path / f"{name}.{ending}"
        if ending == "parquet":
            frame.write_parquet(path)
        elif ending == "xlsx":
            frame.write_excel(path)
        else:
            frame.write_csv(path, separator="\t" if ending == "tsv" else ",")
        return path


def _by_id(records: Records, listed: str) -> Any:
    """A dict by id, or by the question where there is no id."""
    return {record.get("id", record.get("question")): record[listed] for record in records}


def _of_kind(kind: str) -> Callable[[pl.DataFrame], Any]:
    if kind == "duckdb":
        import duckdb

        connection, numbers = duckdb.connect(), itertools.count()

        def to_duckdb(frame: pl.DataFrame) -> Any:
            name = f"t{next(numbers)}"
            connection.register(name, frame.to_arrow())
            return connection.table(name)

        return to_duckdb
    return {
        "pandas": lambda frame: frame.to_pandas(),
        "polars": lambda frame: frame,
        "polars lazy": lambda frame: frame.lazy(),
        "pyarrow": lambda frame: frame.to_arrow(),
    }[kind]


FILES = ("csv", "tsv", "parquet", "xlsx")
RECORDS = ("jsonl", "json", "list", "dict")
FRAMES = ("polars", "polars lazy", "pandas", "pyarrow", "duckdb")
DOORS = (*RECORDS, *FILES, *FRAMES, "spark")


@pytest.fixture(params=DOORS)
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Door:
    """Hand in questions and lists by this door; `door.__name__` is its name."""
    kind, folder = request.param, _Folder(tmp_path)
    if kind == "spark":
        session = request.getfixturevalue("only_spark_session")

        def to_kind(frame: pl.DataFrame) -> Any:
            return session.createDataFrame(frame.to_arrow())

    elif kind in FRAMES:
        to_kind = _of_kind(kind)  # type: ignore[assignment]

    def hand_in(questions: Records, run: Records) -> tuple[Any, Any]:
        if kind == "list":
            return questions, run
        if kind == "dict":
            return _by_id(questions, "expected"), _by_id(run, "retrieved")
        if kind in RECORDS:
            write = folder.lines if kind == "jsonl" else folder.array
            return write("q", questions), write("r", run)
        asked, found = flat(questions, run)
        if kind in FILES:
            return folder.table("q", asked, kind), folder.table("r", found, kind)
        return to_kind(asked), to_kind(found)

    hand_in.__name__ = kind
    return hand_in
