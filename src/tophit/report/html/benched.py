"""The page of a benchmark: the configurations, best first, at a fixed k and at an equal budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from tophit.benching import BenchResult
from tophit.errors import counted
from tophit.formats import read_chunks, read_run
from tophit.relations import Questions
from tophit.report import sentences
from tophit.report.html.charts import Chart, Series
from tophit.report.html.curves import evaluation_charts
from tophit.report.html.detail import Detail, details_of
from tophit.report.html.evaluated import ALONE, foot, level_of, meta_line
from tophit.report.html.overview import (
    left_out_section,
    measures_section,
    section,
    warnings_section,
)
from tophit.report.html.page import Page
from tophit.report.html.tags import Html, tag
from tophit.report.sentences import Record

LISTED = 6
"""Of how many configurations, best first, the questions are on the page."""


def bench_details(found: BenchResult, questions: Questions) -> list[Detail]:
    """Every question of the best configurations, from the files that the benchmark wrote.

    Errors: those of the readers.
    """
    details = []
    for row in found.rows[:LISTED]:
        run = replace(read_run(str(row.folder / "run.jsonl")), name=row.name)
        indexed = row.folder / "chunks.jsonl"
        chunks = read_chunks(str(indexed)) if indexed.exists() else None
        result = replace(row.result, name=row.name)
        details += details_of(questions, {row.name: run}, [result], chunks=chunks)
    return details


def bench_page(record: Record, details: Sequence[Detail] = ()) -> Page:
    """The configurations, best first, and over their sizes."""
    rows = record["configurations"]
    level = level_of(record)
    return Page(
        title=f"{counted(len(rows), 'configuration')} tried",
        meta=f"{counted(record['documents']['read'], 'document')} · {meta_line(record)}",
        sections=[
            _headline(record, level=level),
            measures_section(rows, level=level, noun="configuration"),
            *left_out_section(record),
            *_skipped(record),
            *warnings_section([
                *record["warnings"],
                *({**each, "run": row["name"]} for row in rows for each in row["warnings"]),
            ]),
        ],
        charts=[*_size_charts(rows, k=record["k"]), *evaluation_charts(details, level=level)],
        foot=foot(record),
        notes=_listed(details, among=len(rows)),
        alone=ALONE,
    )  # fmt: skip


def _listed(details: Sequence[Detail], *, among: int) -> list[str]:
    """Of which configurations the questions are not on the page."""
    if not 0 < len(details) < among:
        return []
    more = counted(among - len(details), "further configuration")
    return [f"The questions are those of the best {len(details)}; {more}: in the table alone."]


def _headline(record: Record, *, level: float) -> Html:
    best = record["configurations"][0]
    said = sentences.headline(record, best, level=level)
    tokens = best["context_tokens"]["mean"]
    lines = [
        f"Its first {record['k']} chunks take {tokens:,.0f} tokens on average.",
        sentences.ceiling(best),
        *_best_at_budget(record["configurations"]),
    ]
    return tag("div", tag("p", tag("bdi", best["name"]), " is best. ", said, class_="headline"),
               tag("p", " ".join(line for line in lines if line), class_="beside"),
               class_="lead")  # fmt: skip


def _budget(measures: Record) -> str | None:
    """The measure at an equal budget, where there is one."""
    names = [name for name in measures if name.startswith("Hit@") and name.endswith("tok")]
    return names[0] if names else None


def _best_at_budget(rows: Sequence[Record]) -> Iterator[str]:
    name = _budget(rows[0]["measures"])
    if name is None:
        return
    best = max(rows, key=lambda row: row["measures"][name]["value"])
    tokens = int(name.removeprefix("Hit@").removesuffix("tok"))
    value = sentences.percent(best["measures"][name]["value"])
    which = "it is best, too" if best is rows[0] else f"{best['name']} is best"
    yield f"At an equal budget of {tokens:,} tokens {which}: {value}."


def _skipped(record: Record) -> Iterator[Html]:
    if files := record["documents"]["skipped"]:
        lines = [tag("li", tag("bdi", each["name"]), f": {each['reason']}") for each in files]
        yield section("Files that were not read", tag("ul", *lines))


def _size_charts(rows: Sequence[Record], *, k: int) -> Iterator[Chart]:
    """Hit at a fixed k beside Hit at an equal budget over the sizes, a picture a way to split."""
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for row in rows:
        groups.setdefault((row["splitter"], row["overlap"], row["retriever"]), []).append(row)
    for (splitter, overlap, retriever), group in sorted(groups.items()):
        group = sorted(group, key=lambda row: row["size"])
        measures = [f"Hit@{k}", _budget(group[0]["measures"]), "Ceiling"]
        known = [name for name in measures if name and name in group[0]["measures"]]
        if len(group) < 2 or not known:
            continue
        columns: dict[str, list[float | None]] = {"size": [row["size"] for row in group]}
        series = []
        for colour, name in enumerate(known):
            for end in ("value", "low", "high"):
                label = name if end == "value" else f"{name} {end}"
                columns[label] = [row["measures"][name][end] for row in group]
            banded = name != "Ceiling"
            series.append(
                Series(
                    column=name, colour=3 if name == "Ceiling" else colour,
                    low=f"{name} low" if banded else None,
                    high=f"{name} high" if banded else None,
                    style="line" if banded else "dashed",
                )
            )  # fmt: skip
        whose = f"{splitter}, {retriever}" + (f", overlap {overlap}" if overlap else "")
        yield Chart(
            title=f"Size of chunks: {whose}",
            said=_said(group, known),
            columns=columns,
            series=series,
        )


def _said(group: Sequence[Record], known: Sequence[str]) -> str:
    """Which size is best, by each of the first two measures."""
    parts = []
    for name in known[:2]:
        best = max(group, key=lambda row: row["measures"][name]["value"])
        parts.append(f"{name} is highest at {best['size']:,} tokens")
    return f"{'; '.join(parts)}."
