"""Gates on the terminal: every case with what was expected and what was found."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.text import Text

from tophit.comparison.difference import signed
from tophit.evaluation.results import remarks_by_name
from tophit.gates import Check, GateReport
from tophit.report.summary import number
from tophit.report.tables import Column, stacked
from tophit.report.terminal import warning_lines

_NAMED = 10


def gates_view(reports: Mapping[str, GateReport]) -> RenderableType:
    """The verdict, a table of all cases, the questions that were lost, and the warnings."""
    cases = [(name, check) for name, report in reports.items() for check in report.checks]
    failed = [(name, check) for name, check in cases if not check.passed]
    if failed:
        verdict = Text(f"gate failed: {len(failed):,} of {len(cases):,} checks", style="bold red")
    else:
        verdict = Text(f"gate passed: {len(cases):,} of {len(cases):,} checks", style="bold green")
    parts: list[RenderableType] = [Text(), verdict, Text()]
    cases_column = Column("case", [check.case for _, check in cases], numbers=False)
    columns = [cases_column, *_columns([check for _, check in cases])]
    if len(reports) > 1:
        columns.insert(0, Column("run", [name for name, _ in cases], numbers=False))
    parts += stacked(columns[0], columns[1:], width=10**6)
    below: list[RenderableType] = [_lost(name, check) for name, check in failed if check.paired]
    below += warning_lines(remarks_by_name([(n, r.warnings) for n, r in reports.items()]))
    parts += [Text(), *below] if below else []
    return Group(*parts)


def _columns(checks: list[Check]) -> list[Column]:
    return [
        Column("expected", [f">= {number(check.expected)}" for check in checks]),
        Column("actual", ["none" if c.actual is None else number(c.actual) for c in checks]),
        Column(
            "difference", ["" if c.difference is None else signed(c.difference) for c in checks]
        ),
        Column("", ["passed" if check.passed else "FAILED" for check in checks], numbers=False),
        Column("note", [check.note for check in checks], numbers=False),
    ]


def _lost(name: str, check: Check) -> Text:
    assert check.paired is not None
    lost = list(check.paired.losses)
    more = f", and {len(lost) - _NAMED:,} more" if len(lost) > _NAMED else ""
    return Text(f"{name}, {check.case}: lost {', '.join(lost[:_NAMED])}{more}")
