"""A check of a question set on the terminal and as JSON: what is wrong, and what to do about it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from tophit.checking import CODES, CheckReport, Finding
from tophit.checking.codes import action_for
from tophit.checking.standing import levels_said
from tophit.errors import counted
from tophit.evaluation.results import Remark
from tophit.report.terminal import warning_lines

_STYLES = {"error": "red", "warning": "yellow", "note": "cyan"}


def check_view(found: CheckReport, *, limit: int) -> RenderableType:
    """Each kind of fault with what to do, and its findings, `limit` of each kind at most."""
    parts: list[RenderableType] = [Text(_heading(found), style="bold"), Text()]
    for code, group in itertools.groupby(found.findings, key=lambda finding: finding.code):
        parts += [*_kind(code, list(group), limit=limit), Text()]
    parts += [Text(levels_said(found.levels))] if found.levels else []
    parts += [Text(verdict(found))]
    parts += [Text(f"not checked: {what}") for what in found.not_checked]
    remarks = [Remark(run=None, warning=warning) for warning in found.warnings]
    return Group(*parts, *warning_lines(remarks))


def verdict(found: CheckReport) -> str:
    """What was found, counted by how grave it is, in a sentence.

    >>> import tophit
    >>> verdict(tophit.check({"q": ["c7"]}, chunks=[{"id": "c1", "text": "a"}]))
    '1 error'
    """
    counts = dict.fromkeys(_STYLES, 0)
    for finding in found.findings:
        counts[finding.level] += 1
    said = [f"{n:,} {level}{'' if n == 1 else 's'}" for level, n in counts.items() if n]
    fixable = sum(finding.fix is not None for finding in found.findings)
    if not said:
        return "no faults found"
    return ", ".join(said) + (f"; --fix FILE corrects {fixable:,} of them" if fixable else "")


def _heading(found: CheckReport) -> str:
    unanswerable = found.total - found.answerable
    said = [
        counted(found.total, "question"),
        f"{unanswerable:,} unanswerable",
        f"{found.elements:,} expected elements",
    ]
    if found.documents is not None:
        said.append(f"{found.documents:,} documents")
    if found.chunks is not None:
        said.append(f"{found.chunks:,} chunks")
    return f"{', '.join(said)}; to be matched by {found.match}"


def _kind(code: str, findings: list[Finding], *, limit: int) -> Iterator[RenderableType]:
    entry = CODES[code]
    count = f" ({len(findings):,})" if len(findings) > 1 else ""
    yield Text.assemble(
        (f"{entry.level}: ", _STYLES[entry.level]), (f"{code}{count}", "bold"), f": {entry.summary}"
    )
    for finding in findings[:limit]:
        place = f"{finding.query_id}: " if finding.query_id is not None else ""
        yield Padding(Text(f"{place}{finding.message}"), (0, 0, 0, 2))
    if (more := len(findings) - limit) > 0:
        yield Padding(Text(f"... and {more:,} more"), (0, 0, 0, 2))
    yield Padding(Text(f"-> {action_for(code, findings)}", style="dim"), (0, 0, 0, 2))
