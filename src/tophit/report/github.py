"""Annotations for GitHub Actions: failed gates, and missed questions beside their lines."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tophit.relations import QUERY, QUESTION
from tophit.report.misses import LINE, OUTCOME, Account, one_line, reason

SHOWN = 10
"""GitHub shows so many annotations of one level for a step and drops the others."""


def annotation_lines(accounts: Sequence[Account], *, most: int = SHOWN) -> list[str]:
    """At most `most` lines for the log of a job, the last one saying how many more there are.

    A failed gate and the questions that its run missed are errors; with no failed gate the missed
    questions are warnings. File and line are those of the question, where they are known.

    >>> import tophit
    >>> from tophit.report.misses import account
    >>> judged, run = {"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["x"]}
    >>> result = tophit.evaluate(judged, run, measures="Hit@4", name="bm25")
    >>> annotation_lines([account(result, tophit.diagnose(judged, run), source="q.jsonl")])[0]
    '::warning title=bm25%3A q2 missed,file=q.jsonl::missed: no part of it was retrieved; ...'
    """
    failed = [each for each in accounts if not each.gates.passed]
    level = "error" if failed else "warning"
    blamed = failed or list(accounts)
    total = sum(len(each.gates.failed) + each.failed.height for each in blamed)
    shown = total if total <= most else most - 1
    lines: list[str] = []
    for properties, message in _all(blamed):
        if len(lines) == shown:
            break
        lines.append(command(level, message, properties))
    if shown < total:
        more = f"{total - shown:,} more, which GitHub would not show; --junit FILE has all of them"
        lines.append(command(level, more, {"title": "tophit"}))
    return lines


def _all(accounts: Sequence[Account]) -> Iterator[tuple[dict[str, Any], str]]:
    """Gates first: they say what the questions only explain."""
    for each in accounts:
        for check in each.gates.failed:
            title = f"{each.result.name}: {check.case} is below its limit"
            yield {"title": title}, str(check).removeprefix("FAILED ")
    for each in accounts:
        place = {} if each.source is None else {"file": in_workspace(each.source)}
        for row in each.failed.iter_rows(named=True):
            title = f"{each.result.name}: {row[QUERY]} {row[OUTCOME] or 'missed'}"
            line = {} if row[LINE] is None else {"line": row[LINE]}
            text = [reason(row, each.measure)]
            text += [one_line(row[QUESTION])] if row[QUESTION] else []
            yield {"title": title, **place, **line}, "\n".join(text)


def command(level: str, message: str, properties: Mapping[str, Any]) -> str:
    r"""One workflow command, escaped as GitHub reads it.

    >>> command("error", "50 %\nof it", {"title": "a:b,c", "line": 3})
    '::error title=a%3Ab%2Cc,line=3::50 %25%0Aof it'
    """
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level}{' ' if listed else ''}{listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: Any) -> str:
    return _data(str(value)).replace(":", "%3A").replace(",", "%2C")


def in_workspace(path: str) -> str:
    """The path as GitHub wants it: from the root of the repository, where the file is in it.

    >>> in_workspace("q.jsonl")
    'q.jsonl'
    """
    root = os.environ.get("GITHUB_WORKSPACE")
    if not root:
        return path
    absolute = Path(path).resolve()
    top = Path(root).resolve()
    return absolute.relative_to(top).as_posix() if absolute.is_relative_to(top) else path
