"""The pages of a curve and of a check."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from tophit.checking import CODES
from tophit.errors import counted
from tophit.report.html.charts import Chart, Series
from tophit.report.html.detail import Detail
from tophit.report.html.evaluated import foot
from tophit.report.html.overview import section, table, warnings_section
from tophit.report.html.page import Page
from tophit.report.html.tags import Html, tag
from tophit.report.sentences import Record, percent

_FINDINGS = 50


def curve_page(record: Record, details: Sequence[Detail] = ()) -> Page:
    """What each further place brings, from the record of a curve."""
    points = record["points"]
    columns = {
        "k": [each["k"] for each in points],
        **{label: [each[name] for each in points]
           for label, name in (("Hit@k", "value"), ("low", "low"), ("high", "high"))},
    }  # fmt: skip
    series = [Series(column="Hit@k", low="low", high="high")]
    costs = [each["tokens_mean"] for each in points]
    if None not in costs:
        columns["tokens"] = costs
        series.append(Series(column="tokens", style="dashed", colour=2, right=True))
    last = points[-1]
    said = f"Hit is {percent(points[0]['value'])} at k = 1 and {percent(last['value'])} at k = "
    chart = Chart(title="What a larger k brings", said=f"{said}{last['k']}.", columns=columns,
                  series=series, right="tokens" if "tokens" in columns else None)  # fmt: skip
    return Page(
        title=record["name"],
        meta=f"{counted(record['n'], 'question')} · matched by {record['match']}",
        sections=[
            tag("div", tag("p", chart.said, class_="headline"), class_="lead"),
            *warnings_section(record["warnings"]),
        ],
        charts=[chart],
        foot=foot({**record, "settings": {"match": record["match"], "level": record["level"]}}),
    )


def check_page(record: Record, details: Sequence[Detail] = ()) -> Page:
    """The faults of a question set, each kind with what to do."""
    counts = record["questions"]
    levels = [each["level"] for each in record["findings"]]
    said = ", ".join(
        counted(levels.count(level), level)
        for level in ("error", "warning", "note")
        if level in levels
    )
    unchecked = record["not_checked"]
    return Page(
        title="A question set, checked",
        meta=f"{counted(counts['total'], 'question')}, {counts['answerable']:,} answerable · "
        f"{counted(record['elements'], 'expected element')} · to be matched by {record['match']}",
        sections=[
            tag("div", tag("p", f"{said or 'No faults'} found.", class_="headline"), class_="lead"),
            *check_sections(record),
            *([section("Not checked", tag("ul", *(tag("li", what) for what in unchecked)))]
              if unchecked else []),
            *warnings_section(record["warnings"]),
        ],
        foot=foot(record),
    )  # fmt: skip


def check_sections(record: Record) -> Sequence[Html]:
    """A section a code, with its first findings."""
    sections = []
    actions = {each["code"]: each["action"] for each in record["summary"]}
    for code, group in itertools.groupby(record["findings"], key=lambda each: each["code"]):
        findings = list(group)
        rows = [[tag("bdi", each["query_id"] or ""), tag("span", each["message"], class_="wrap")]
                for each in findings[:_FINDINGS]]  # fmt: skip
        more = len(findings) - _FINDINGS
        entry = CODES[code]
        sections.append(
            section(
                f"{entry.level.capitalize()}: {code} ({len(findings):,})",
                tag("p", entry.summary),
                tag("p", actions[code], class_="advice"),
                table(["question", "what was found"], rows, caption=code, class_="told"),
                tag("p", f"... and {more:,} more", class_="quiet") if more > 0 else None,
            )
        )
    return sections
