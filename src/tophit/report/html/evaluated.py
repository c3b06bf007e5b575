"""The page of an evaluation: one or more runs on the same questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tophit.report.html.curves import evaluation_charts
from tophit.report.html.detail import Detail
from tophit.report.html.explorer import MEGABYTE, explorer_of
from tophit.report.html.overview import evaluation_sections, how_it_was_made
from tophit.report.html.page import Page, page_html, shell_size
from tophit.report.html.tags import Html
from tophit.report.sentences import Record, plural

SIZE = 5
"""How many megabytes a page has at most, unless asked otherwise."""

_MATCHED = {"ids": "matched by ids", "text": "matched by text", "spans": "matched by spans"}
NO_QUESTIONS = (
    "The result alone holds no texts. 'tophit eval QUESTIONS RUN --html FILE' writes a page with "
    "every question (in Python: result.to_html(FILE, questions=..., run=...))."
)


def evaluation_html(record: Record, details: Sequence[Detail] = (), *, size: float = SIZE) -> str:
    """The page of an evaluation, from its JSON record; with `details` every question is in it.

    `size` is in megabytes; 0 leaves no text out.

    >>> import tophit
    >>> from tophit.evaluation.record import evaluation_record
    >>> result = tophit.evaluate({"q": ["a"]}, {"q": ["b", "a"]}, measures="Hit@4")
    >>> "In 100 % of 1 answerable question" in evaluation_html(evaluation_record([result]))
    True
    """
    return page_html(with_questions(evaluation_page(record, details), details, size=size))


def evaluation_page(record: Record, details: Sequence[Detail] = ()) -> Page:
    """The page without its questions."""
    record, level = with_outcomes(record, details), level_of(record)
    runs = record["runs"]
    return Page(
        title=runs[0]["name"] if len(runs) == 1 else f"{len(runs)} runs",
        meta=meta_line(record),
        sections=evaluation_sections(record, level=level),
        charts=evaluation_charts(details, level=level),
        foot=foot(record),
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


def with_questions(page: Page, details: Sequence[Detail], *, size: float) -> Page:
    """The page with the questions of these runs, as many texts as fit into `size` megabytes."""
    if not details:
        return replace(page, notes=[NO_QUESTIONS])
    shell = shell_size() + sum(len(section.encode()) for section in page.sections)
    found = explorer_of(details, size=round(size * MEGABYTE), shell=shell)
    return replace(page, explorer=found.data, notes=found.left_out)


def meta_line(record: Record) -> str:
    """Who was asked, and how it was decided what counts, in a line."""
    counts = record["questions"]
    asked = plural(counts["total"], "question")
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
