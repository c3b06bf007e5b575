"""What a benchmark gives: a row for every configuration, best first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from tophit.benching.grid import Configuration
from tophit.benching.store import write_json
from tophit.comparison import Difference, compare_results
from tophit.errors import DataWarning
from tophit.evaluation.record import (
    cluster_record,
    evaluation_record,
    head,
    warning_records,
)
from tophit.evaluation.result import Result, Score
from tophit.evaluation.results import fingerprints_of
from tophit.formats import atomic_write
from tophit.relations import Questions
from tophit.showing import Shown


@dataclass(frozen=True, kw_only=True)
class BenchRow:
    """One configuration's outcome.

    `chunks` is how many the index holds, None where the retriever has its own. `context_tokens` is
    the mean, over all questions, of the tokens in the first k chunks together,
    `max_context_tokens` the most that a question got. `latency_ms` (p50, p95, p99) and
    `index_bytes` are those of this machine. `versus_best` is the difference to the best
    configuration on the measure that decides, with Holm's correction over all of them; None for
    the best itself. `folder` holds chunks.jsonl, run.jsonl and result.json.
    """

    configuration: Configuration
    chunks: int | None
    context_tokens: float
    max_context_tokens: int
    result: Result
    folder: Path
    latency_ms: Mapping[str, float] = field(default_factory=dict)
    index_bytes: int | None = None
    tuned: str = ""
    versus_best: Difference | None = None
    warnings: tuple[DataWarning, ...] = ()

    @property
    def name(self) -> str:
        """The configuration's name."""
        return self.configuration.name

    def to_dict(self) -> dict[str, Any]:
        """The row as in table.json."""
        return {
            **self.configuration.to_dict(),
            **self._made(),
            "measures": self.result.to_dict()["measures"],
            "versus_best": None if self.versus_best is None else _difference(self.versus_best),
            "warnings": warning_records(self.warnings),
        }

    def result_dict(self) -> dict[str, Any]:
        """What result.json holds: the JSON output, schema 1, and how the run came about."""
        return {
            **evaluation_record([replace(self.result, warnings=self.warnings)]),
            "configuration": self.configuration.to_dict(),
            **self._made(),
        }

    def _made(self) -> dict[str, Any]:
        context = {"mean": self.context_tokens, "max": self.max_context_tokens}
        tuned = {"tuned": self.tuned} if self.tuned else {}
        return {"chunks": self.chunks, "context_tokens": context, **tuned}


def _difference(found: Difference) -> dict[str, Any]:
    names = ("measure", "difference", "low", "high", "p", "p_holm", "significant")
    return {name: getattr(found, name) for name in names}


@dataclass(frozen=True, kw_only=True)
class BenchResult(Shown):
    """All configurations, best first: by `deciding`, the other measures, fewer tokens, then name.

    `deciding` is the measure that ranks: Hit at the equal budget where sizes differ, else the
    first. `documents` is how many were read, `skipped` the files that were not and why, `warnings`
    what concerns all configurations.
    """

    rows: tuple[BenchRow, ...]
    deciding: str
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
        for each measure its value and its interval (`Hit@4`, `Hit@4 low`, `Hit@4 high`), and
        `difference` and `p` to the best on the measure that decides.
        """
        return pl.DataFrame([_flat(row) for row in self.rows], infer_schema_length=None)

    @property
    def costs(self) -> pl.DataFrame:
        """What differs from machine to machine: configuration, p50_ms, p95_ms, p99_ms, index_bytes.

        Milliseconds a question, without waiting for a rate limit.
        """
        rows = [
            {"configuration": row.name}
            | {f"{name}_ms": row.latency_ms.get(name) for name in ("p50", "p95", "p99")}
            | {"index_bytes": row.index_bytes}
            for row in self.rows
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """What table.json holds."""
        return {
            **head("benchmark"),
            "k": self.k,
            "depth": self.depth,
            "deciding": self.deciding,
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
        """Write table.json, results.csv and costs.csv into the folder. Errors: `OutputError`."""
        write_json(self.to_dict(), self.folder / "table.json")
        for name, frame in (("results.csv", self.table), ("costs.csv", self.costs)):
            with atomic_write(self.folder / name) as stream:
                stream.write(frame.write_csv())


def best_first(rows: list[BenchRow], deciding: str) -> tuple[BenchRow, ...]:
    """The rows by the measure that decides, then the others in their order, then tokens, name."""

    def place(row: BenchRow) -> tuple[Any, ...]:
        measures: Mapping[str, Score] = row.result.measures
        names = [deciding, *(name for name in measures if name != deciding)]
        values = [-measures[name].value if name in measures else 0.0 for name in names]
        return (*values, row.context_tokens, row.name)

    return tuple(sorted(rows, key=place))


def with_differences(
    rows: tuple[BenchRow, ...], deciding: str, questions: Questions
) -> tuple[BenchRow, ...]:
    """Each row with its difference to the first, tested on the same questions."""
    if len(rows) < 2:
        return rows
    alone = [
        replace(row.result, name=row.name, measures={deciding: row.result.measures[deciding]})
        for row in rows
    ]
    settings = rows[0].result.settings
    found = compare_results(
        alone, cluster=settings.cluster, questions=questions, level=settings.level
    )
    by_name = {each.b: each for each in found.differences}
    return tuple(replace(row, versus_best=by_name.get(row.name)) for row in rows)


def _flat(row: BenchRow) -> dict[str, Any]:
    settings = row.configuration.to_dict()
    flat = {"configuration": settings.pop("name"), **settings}
    flat |= {"chunks": row.chunks, "context_tokens": row.context_tokens}
    flat["n"] = max((score.n for score in row.result.measures.values()), default=0)
    for name, score in row.result.measures.items():
        flat |= {name: score.value, f"{name} low": score.low, f"{name} high": score.high}
    versus = row.versus_best
    flat["difference"] = None if versus is None else versus.difference
    return {**flat, "p": None if versus is None else versus.p_holm}
