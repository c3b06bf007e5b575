"""What a benchmark gives: a row for every configuration, best first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from tophit.benching.grid import Configuration
from tophit.errors import DataWarning
from tophit.evaluation.record import (
    as_json,
    cluster_record,
    evaluation_record,
    head,
    warning_records,
)
from tophit.evaluation.result import Result
from tophit.evaluation.results import fingerprints_of
from tophit.formats import atomic_write
from tophit.showing import Shown


@dataclass(frozen=True, kw_only=True)
class BenchRow:
    """One configuration's outcome.

    `chunks` is how many the index holds. `context_tokens` is the mean, over all questions, of the
    tokens in the first k chunks together, `max_context_tokens` the most that a question got.
    `folder` holds chunks.jsonl, run.jsonl and result.json.
    """

    configuration: Configuration
    chunks: int
    context_tokens: float
    max_context_tokens: int
    result: Result
    folder: Path
    warnings: tuple[DataWarning, ...] = ()

    @property
    def name(self) -> str:
        """The configuration's name."""
        return self.configuration.name

    def to_dict(self) -> dict[str, Any]:
        """The row as in table.json."""
        return {
            **self.configuration.to_dict(),
            "chunks": self.chunks,
            "context_tokens": {"mean": self.context_tokens, "max": self.max_context_tokens},
            "measures": self.result.to_dict()["measures"],
            "warnings": warning_records(self.warnings),
        }

    def result_dict(self) -> dict[str, Any]:
        """What result.json holds: the JSON output, schema 1, and how the run came about."""
        return {
            **evaluation_record([replace(self.result, warnings=self.warnings)]),
            "configuration": self.configuration.to_dict(),
            "chunks": self.chunks,
            "context_tokens": {"mean": self.context_tokens, "max": self.max_context_tokens},
        }


@dataclass(frozen=True, kw_only=True)
class BenchResult(Shown):
    """All configurations, best first: by the measures in their order, then fewer tokens, then name.

    `documents` is how many were read, `skipped` the files that were not and why, `warnings` what
    concerns all configurations.
    """

    rows: tuple[BenchRow, ...]
    k: int
    depth: int
    documents: int
    skipped: tuple[tuple[str, str], ...]
    folder: Path
    warnings: tuple[DataWarning, ...] = ()

    @property
    def fingerprints(self) -> dict[str, str]:
        """Those of questions, documents and settings: all configurations share them."""
        return fingerprints_of([row.result for row in self.rows])

    @property
    def table(self) -> pl.DataFrame:
        """A row a configuration, best first.

        Columns: configuration, splitter, size, overlap, retriever, chunks, context_tokens, n, and
        for each measure its value and its interval (`Hit@4`, `Hit@4 low`, `Hit@4 high`).
        """
        return pl.DataFrame([_flat(row) for row in self.rows])

    def to_dict(self) -> dict[str, Any]:
        """What table.json holds."""
        return {
            **head("benchmark"),
            "k": self.k,
            "depth": self.depth,
            "match": self.rows[0].result.match,
            "documents": {
                "read": self.documents,
                "skipped": [{"name": name, "reason": reason} for name, reason in self.skipped],
            },
            "questions": self.rows[0].result.questions.to_dict(),
            "configurations": [row.to_dict() for row in self.rows],
            "warnings": warning_records(self.warnings),
            "fingerprints": self.fingerprints,
            **cluster_record(self.rows[0].result),
        }

    def write(self) -> None:
        """Write table.json and results.csv into the folder. Errors: `OutputError`."""
        write_json(self.to_dict(), self.folder / "table.json")
        with atomic_write(self.folder / "results.csv") as stream:
            stream.write(self.table.write_csv())


def best_first(rows: list[BenchRow]) -> tuple[BenchRow, ...]:
    """The rows by their measures, in the order of the measures; equal ones by tokens, then name."""

    def place(row: BenchRow) -> tuple[Any, ...]:
        values = [-score.value for score in row.result.measures.values()]
        return (*values, row.context_tokens, row.name)

    return tuple(sorted(rows, key=place))


def write_json(data: Mapping[str, Any], path: Path) -> None:
    """Write one JSON object, indented; the same data give the same bytes. Errors: `OutputError`."""
    with atomic_write(path) as stream:
        stream.write(as_json(data))


def _flat(row: BenchRow) -> dict[str, Any]:
    settings = row.configuration.to_dict()
    flat = {"configuration": settings.pop("name"), **settings}
    flat |= {"chunks": row.chunks, "context_tokens": row.context_tokens}
    flat["n"] = max((score.n for score in row.result.measures.values()), default=0)
    for name, score in row.result.measures.items():
        flat |= {name: score.value, f"{name} low": score.low, f"{name} high": score.high}
    return flat
