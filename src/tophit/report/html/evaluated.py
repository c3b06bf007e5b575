"""The page of an evaluation: one or more runs on the same questions."""

from __future__ import annotations

from collections.abc import Sequence

from tophit.errors import counted
from tophit.report.html.curves import evaluation_charts
from tophit.report.html.detail import Detail
from tophit.report.html.overview import evaluation_sections, how_it_was_made
from tophit.report.html.page import Page
from tophit.report.html.tags import Html
from tophit.report.sentences import Record

_MATCHED = {"ids": "matched by ids", "text": "matched by text", "spans": "matched by spans"}
ALONE = (
    "The result alone holds no texts. 'tophit eval QUESTIONS RUN --html FILE' writes a page with "
    "every question (in Python: result.to_html(FILE, questions=..., run=...))."
)


def evaluation_page(record: Record, details: Sequence[Detail] = ()) -> Page:
    """The first screen and the pictures of one or more runs on the same questions."""
    record, level = with_outcomes(record, details), level_of(record)
    runs = record["runs"]
    return Page(
        title=runs[0]["name"] if len(runs) == 1 else f"{len(runs)} runs",
        meta=meta_line(record),
        sections=evaluation_sections(record, level=level),
        charts=evaluation_charts(details, level=level),
        foot=foot(record),
        alone=ALONE,
    )


def level_of(record: Record) -> float:
    """The level of the intervals; older records do not say it.

    >>> level_of({})
    0.95
    """
    return float(record.get("settings", {}).get("level", 0.95))


def with_outcomes(record: Record, details: Sequence[Detail]) -> Record:
    """The record with what became of the questions, where the runs are at hand."""
    totals = {detail.result.name: detail.diagnosis.totals for detail in details}
    runs = [
        {**run, "outcomes": run.get("outcomes") or totals.get(run["name"])}
        for run in record["runs"]
    ]
    return {**record, "runs": runs}


def meta_line(record: Record) -> str:
    """Who was asked, and how it was decided what counts, in a line."""
    counts = record["questions"]
    asked = counted(counts["total"], "question")
    if counts["unanswerable"]:
        asked += f", {counts['answerable']:,} answerable"
    matched = _MATCHED.get(record["match"], "matched in different ways")
    return f"{asked} · {matched} · k = {record['k']}"


def foot(record: Record) -> Html:
    """How the numbers were made: the settings, and what they were made of."""
    cluster = record.get("cluster")
    facts = {name.replace("_", " "): value for name, value in record.get("settings", {}).items()}
    if cluster is not None:
        facts["cluster"] = f"{cluster['field']}, {cluster['n']:,} clusters"
    return how_it_was_made(record, facts)
