"""The page of a diagnosis: why each question was missed, and what to change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tophit.errors import counted
from tophit.outcomes import BY_NAME
from tophit.report.html.curves import evaluation_charts
from tophit.report.html.detail import Detail
from tophit.report.html.evaluated import ALONE, foot
from tophit.report.html.overview import outcome_bar, section, table, warnings_section
from tophit.report.html.page import Page
from tophit.report.html.tags import Html, tag
from tophit.report.sentences import Record, percent


def diagnosis_page(record: Record, details: Sequence[Detail] = ()) -> Page:
    """What became of the questions, why, and what to change."""
    answerable = len(record["questions"])
    left = len(record["unanswerable"])
    asked = counted(answerable, "answerable question")
    apart = f", {left:,} unanswerable left out" if left else ""
    return Page(
        title=record["name"],
        meta=f"{asked}{apart} · matched by {record['match']} · k = {record['k']}",
        sections=[
            _headline(record, answerable),
            *_outcomes(record, answerable),
            *_by_tag(record),
            *warnings_section(record["warnings"]),
        ],
        charts=evaluation_charts(details, level=0.95),
        alone=ALONE,
        foot=foot({**record, "settings": record.get("settings")
                   or {"k": record["k"], "match": record["match"]}}),
    )  # fmt: skip


def _headline(record: Record, answerable: int) -> Html:
    missed = answerable - record["outcomes"].get("found", 0)
    if not answerable:
        said = "No question is answerable, so there is nothing to find."
    elif not missed:
        said = f"All of {counted(answerable, 'answerable question')} were found."
    else:
        verb = "was" if missed == 1 else "were"
        said = f"{missed:,} of {counted(answerable, 'answerable question')} {verb} not found"
        said += f" in the first {counted(record['k'], 'chunk')}."
    hint = record.get("hint")
    return tag("div", tag("p", said, class_="headline"),
               tag("p", f"To know more: {hint}.", class_="beside") if hint else None,
               class_="lead")  # fmt: skip


def _outcomes(record: Record, answerable: int) -> Iterator[Html]:
    counts = {name: count for name, count in record["outcomes"].items() if count}
    if not counts:
        return
    rows = [
        [tag("span", tag("span", class_=f"key o-{name}"), name), f"{count:,}",
         percent(count / answerable), tag("span", BY_NAME[name].summary),
         tag("span", BY_NAME[name].change)]
        for name, count in counts.items()
    ]  # fmt: skip
    heads = ["outcome", "questions", "share", "what happened", "what to change"]
    yield section(
        "What became of the questions",
        outcome_bar(counts),
        table(heads, rows, numbers=(1, 2), caption="Outcomes", class_="told"),
    )


def _by_tag(record: Record) -> Iterator[Html]:
    shown = [name for name, count in record["outcomes"].items() if count]
    for name in dict.fromkeys(row["tag"] for row in record["by_tag"]):
        rows = [
            [
                tag("bdi", "(none)" if row["value"] is None else row["value"]),
                f"{row['questions']:,}", *(f"{row[outcome]:,}" for outcome in shown),
            ]
            for row in record["by_tag"]
            if row["tag"] == name
        ]  # fmt: skip
        heads = [tag("bdi", name), "questions", *shown]
        yield section(
            f"By {name}", table(heads, rows, numbers=range(1, len(heads)), caption=f"By {name}")
        )
