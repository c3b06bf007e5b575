"""A diagnosis on the terminal and as JSON: totals, totals by tag, and every missed question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tophit.diagnosis import OUTCOMES, Diagnosis
from tophit.diagnosis.outcome_frame import OUTCOME
from tophit.errors import counted
from tophit.evaluation.results import Remark
from tophit.outcomes import BY_NAME
from tophit.relations import QUERY, QUESTION
from tophit.report.tables import Column, stacked
from tophit.report.terminal import title, warning_lines

FOUND = "found"
_LONGEST = 160
_WORTH_SHOWING = 0.2  # less of an item is a few words that stand anywhere


def diagnosis_view(
    found: Diagnosis, *, outcomes: Sequence[str], limit: int, width: int
) -> RenderableType:
    """Totals by outcome and by tag, then the questions with one of `outcomes`, `limit` at most."""
    answerable = found.questions.height
    left = len(found.unanswerable)
    asked = counted(answerable, "answerable question")
    apart = f", {left:,} unanswerable left out" if left else ""
    heading = f"{found.name}: {asked}{apart}, matched by {found.match}, k = {found.k}"
    parts: list[RenderableType] = [title(heading, width=width), Text(), _totals(found), Text()]
    for table in _by_tag(found, width=width):
        parts += [table, Text()]
    chosen = found.questions.filter(pl.col(OUTCOME).is_in(list(outcomes)))
    for row in chosen.head(limit).iter_rows(named=True):
        parts += [*_question(row), Text()]
    if (more := chosen.height - limit) > 0:
        parts += [Text(f"... and {more:,} more: --limit {chosen.height} shows all"), Text()]
    if found.hint:
        parts += [Text(f"hint: {found.hint}"), Text()]
    parts += warning_lines([Remark(run=None, warning=warning) for warning in found.warnings])
    return Group(*(parts[:-1] if isinstance(parts[-1], Text) and not parts[-1].plain else parts))


def _totals(found: Diagnosis) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, justify="right")
    table.add_column(no_wrap=True, justify="right")
    table.add_column()
    total = found.questions.height
    for name, count in found.totals.items():
        if count or name == FOUND:
            share = f"{100 * count / total:.1f} %" if total else "none asked"
            label = Text(name, style=BY_NAME[name].style)
            table.add_row(label, f"{count:,}", share, OUTCOMES[name])
    return table


def _by_tag(found: Diagnosis, *, width: int) -> Iterator[Table]:
    shown = [name for name, count in found.totals.items() if count]
    for (tag,), group in found.by_tag.group_by("tag", maintain_order=True):
        values = ["(none)" if value is None else value for value in group["value"]]
        columns = [Column("questions", [f"{count:,}" for count in group["questions"]])]
        columns += [Column(name, [f"{count:,}" for count in group[name]]) for name in shown]
        yield from stacked(Column(str(tag), values, numbers=False), columns, width=width)


def _question(row: Mapping[str, Any]) -> Iterator[RenderableType]:
    head = Text.assemble((str(row[QUERY]), "bold"), "  ")
    head.append(row[OUTCOME], style=BY_NAME[row[OUTCOME]].style)
    head.append(f": {row['why']}")
    yield head
    if row.get(QUESTION):
        yield Padding(Text(_shortened(row[QUESTION])), (0, 0, 0, 2))
    if row.get("piece") and (row["share"] or 0) >= _WORTH_SHOWING:
        yield Padding(_piece(row), (0, 0, 0, 2))


def _piece(row: Mapping[str, Any]) -> Text:
    """The expected text with the part that the best chunk holds between bars."""
    before, after = row.get("missing_before") or "", row.get("missing_after") or ""
    text = Text("best piece: ", style="dim")
    if before:
        text.append(_shortened(before, from_end=True), style="red")
        text.append(" ")
    text.append(f"|{_shortened(row['piece'])}|", style="green")
    if after:
        text.append(" ")
        text.append(_shortened(after), style="red")
    return text


def _shortened(text: str, *, from_end: bool = False) -> str:
    plain = " ".join(text.split())
    if len(plain) <= _LONGEST:
        return plain
    if from_end:
        return f"…{plain[-_LONGEST:]}"
    half = _LONGEST // 2
    return f"{plain[:half]} … {plain[-half:]}"
