"""One page of results that were written as JSON before, of any kind that a page knows."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tophit.errors import Fault, InputError, UsageError, counted
from tophit.evaluation.record import SCHEMA
from tophit.formats.reading.files import Source
from tophit.report.html.benched import bench_page
from tophit.report.html.compared import comparison_page
from tophit.report.html.detail import Detail
from tophit.report.html.diagnosed import diagnosis_page
from tophit.report.html.evaluated import evaluation_page
from tophit.report.html.explorer import MEGABYTE, explorer_of
from tophit.report.html.other_kinds import check_page, curve_page
from tophit.report.html.page import Page, page_html, shell_size
from tophit.report.html.tags import tag
from tophit.report.sentences import Record

PageOf = Callable[[Record, Sequence[Detail]], Page]
KINDS: dict[str, PageOf] = {
    "evaluation": evaluation_page,
    "comparison": comparison_page,
    "diagnosis": diagnosis_page,
    "benchmark": bench_page,
    "curve": curve_page,
    "check": check_page,
}
"""What the page of each kind of result has, by the `kind` of its record; an evaluation has none."""

SIZE = 5
"""How many megabytes a page has at most, unless asked otherwise."""

_ALIKE = ("k", "match", "settings")


def read_result(path: str) -> dict[str, Any]:
    """A result that tophit wrote as JSON. `-` is standard input.

    Errors: `InputError` for what is no such result, or one of another schema; `UsageError` for a
    kind that has no page.
    """
    source = Source(path)

    def wrong(expected: str, found: str, field: str | None = None) -> InputError:
        return InputError(Fault(file=source.name, field=field, expected=expected, found=found))

    try:
        record = json.loads(source.text)
    except ValueError as error:
        raise wrong("a result as JSON", f"no JSON ({error})") from None
    if not isinstance(record, dict) or "tophit" not in record:
        raise wrong("a result that tophit wrote with --json", "something else")
    if record.get("schema") != SCHEMA:
        raise wrong(f"schema {SCHEMA}, which this version reads", repr(record.get("schema")),
                    "schema")  # fmt: skip
    if (kind := kind_of(record)) not in KINDS:
        raise UsageError(f"{source.name}: a {kind} has no page (known: {', '.join(KINDS)})")
    try:
        KINDS[kind](record, ())
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        what = f"{type(error).__name__} {error}"
        raise wrong(f"a whole {kind}", f"one that lacks a part ({what})") from error
    return record


def kind_of(record: Record) -> str:
    """The kind of a record.

    >>> kind_of({"schema": 1}), kind_of({"kind": "curve"})
    ('evaluation', 'curve')
    """
    return str(record.get("kind", "evaluation"))


def result_html(record: Record, details: Sequence[Detail] = (), *, size: float = SIZE) -> str:
    """The page of a result from its JSON record; with `details` every question is in it.

    `size` is in megabytes; 0 leaves no text out.

    >>> import tophit
    >>> from tophit.evaluation.record import evaluation_record
    >>> result = tophit.evaluate({"q": ["a"]}, {"q": ["b", "a"]}, measures="Hit@4")
    >>> "In 100 % of 1 answerable question" in result_html(evaluation_record([result]))
    True
    """
    page = KINDS[kind_of(record)](record, details)
    return page_html(page if not details else _with_questions(page, details, size=size))


def _with_questions(page: Page, details: Sequence[Detail], *, size: float) -> Page:
    """The page with the questions of these runs, as many texts as fit into `size` megabytes."""
    shell = shell_size() + sum(len(section.encode()) for section in page.sections)
    found = explorer_of(details, size=round(size * MEGABYTE), shell=shell)
    return replace(page, explorer=found, notes=[*page.notes, *found.left_out])


def results_html(records: Sequence[Record]) -> str:
    """One page of all these results; evaluations of the same questions stand side by side.

    Errors: `UsageError` for none at all.
    """
    if not records:
        raise UsageError("a report needs a result")
    together = _together(records)
    pages = [KINDS[kind_of(record)](record, ()) for record in together]
    return page_html(pages[0] if len(pages) == 1 else _stacked(pages))


def _together(records: Sequence[Record]) -> list[Record]:
    """The records, those of evaluations that belong together as one of several runs."""
    found: list[dict[str, Any]] = []
    for record in records:
        same = [each for each in found if _alike(each, record)]
        if same:
            same[0]["runs"] = _named_apart([*same[0]["runs"], *record["runs"]])
            same[0]["warnings"] = [*same[0]["warnings"], *_of_run(record)]
        else:
            several = kind_of(record) == "evaluation" and len(records) > 1
            found.append(dict(record) | ({"warnings": _of_run(record)} if several else {}))
    return list(found)


def _alike(one: Record, other: Record) -> bool:
    both = (one, other)
    if any(kind_of(each) != "evaluation" for each in both):
        return False
    asked = [each.get("fingerprints", {}).get("questions") for each in both]
    same = all(one.get(name) == other.get(name) for name in _ALIKE)
    return same and None not in asked and asked[0] == asked[1]


def _of_run(record: Record) -> list[dict[str, Any]]:
    """The warnings, each with the name of its run, where there is one run."""
    name = record["runs"][0]["name"] if len(record["runs"]) == 1 else None
    return [{"run": name, **warning} if name else dict(warning) for warning in record["warnings"]]


def _named_apart(runs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The runs, a number after a name that others have before it.

    >>> [run["name"] for run in _named_apart([{"name": "a"}, {"name": "a"}])]
    ['a', 'a (2)']
    """
    seen: dict[str, int] = {}
    named = []
    for run in runs:
        name = str(run["name"])
        seen[name] = seen.get(name, 0) + 1
        named.append({**run, "name": name if seen[name] == 1 else f"{name} ({seen[name]})"})
    return named


def _stacked(pages: Sequence[Page]) -> Page:
    """Several pages one below the other."""
    sections = [
        part
        for page in pages
        for part in (
            tag("div", tag("h2", page.title, class_="part"), tag("p", page.meta, class_="quiet"),
                class_="lead"),
            *page.sections,
        )
    ]  # fmt: skip
    return Page(
        title=counted(len(pages), "result"),
        meta=" · ".join(page.title for page in pages),
        sections=sections,
        charts=[chart for page in pages for chart in page.charts],
        foot=pages[-1].foot,
        alone=next((page.alone for page in pages if page.alone), None),
    )
