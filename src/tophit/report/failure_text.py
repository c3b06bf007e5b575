"""Why an evaluation in a test failed, as plain text: the cases, then the questions behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import polars as pl

from tophit.comparison.difference import signed
from tophit.diagnosis import Diagnosis
from tophit.errors import counted
from tophit.evaluation.result import Result
from tophit.gates import Check, GateReport
from tophit.relations import QUERY, QUESTION
from tophit.report.misses import OUTCOME, VALUE, WHY, account, cutoff_of, one_line
from tophit.report.summary import bounds, heading, number
from tophit.report.visible import visible

SHOWN = 20
_LONGEST = 100
_TITLES = ("case", "expected", "actual", "difference", "interval", "")


def failure_text(
    result: Result,
    report: GateReport,
    diagnose: Callable[[int], Diagnosis],
    *,
    shown: int | None = SHOWN,
) -> str:
    """Every case with expected, actual, difference and interval; the questions of the failed ones.

    `diagnose` gives the diagnosis at a k. Of each failed case at most `shown` questions are listed
    (None: all): those lost against the baseline, else those below the limit, lowest first.

    >>> import tophit
    >>> from tophit.gates import check_limits
    >>> judged, run = {"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["x"]}
    >>> result = tophit.evaluate(judged, run, measures="Hit@4")
    >>> report = check_limits(result, "Hit@4 >= 0.8")
    >>> print(failure_text(result, report, lambda k: tophit.diagnose(judged, run, k=k)))
    Hit@4 is 0.5000, expected at least 0.8000
    <BLANKLINE>
    run: 2 questions, all answerable, matched by ids, k = 4
    <BLANKLINE>
    case   expected   actual  difference  interval
    Hit@4  >= 0.8000  0.5000  -0.3000     [0.095, 0.905]  FAILED; 2 questions
    <BLANKLINE>
    1 question below 0.8 on Hit@4:
      q2  missed: no part of it was retrieved; the index would tell why
    hint: pass all chunks of the index (chunks=, or --chunks FILE) to tell cut, unretrieved ...
    """
    told: dict[int, Diagnosis] = {}
    lines = [_first_line(report), "", heading([result]), "", *_table(result, report.checks)]
    for check in report.failed:
        k = cutoff_of(check.measure, k=result.k)
        if k not in told:
            told[k] = diagnose(k)
        lines += ["", *_questions(result, check, told[k], shown)]
    lines += dict.fromkeys(f"hint: {each.hint}" for each in told.values() if each.hint)
    lines += [f"warning: {each.message}" for each in (*report.warnings, *result.warnings)]
    return visible("\n".join(lines))


def _first_line(report: GateReport) -> str:
    """The first failed case, as it stands in pytest's summary of failures, and how many more."""
    first, *others = report.failed
    found = "has no interval" if first.actual is None else f"is {number(first.actual)}"
    more = f", and {len(others)} more" if others else ""
    return f"{first.case} {found}, expected at least {number(first.expected)}{more}"


def _table(result: Result, checks: Sequence[Check]) -> Iterator[str]:
    rows = [_TITLES, *(_row(result, check) for check in checks)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_TITLES))]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def _row(result: Result, check: Check) -> tuple[str, ...]:
    state = "passed" if check.passed else "FAILED"
    return (
        check.case,
        f">= {number(check.expected)}",
        "none" if check.actual is None else number(check.actual),
        "" if check.difference is None else signed(check.difference),
        bounds(result[check.measure]),
        "; ".join(filter(None, (state, check.note))),
    )


def _questions(result: Result, check: Check, told: Diagnosis, shown: int | None) -> Iterator[str]:
    measure = check.measure
    rows = account(result, told, measure=measure).questions
    if check.paired is not None:
        rows = rows.filter(pl.col(QUERY).is_in(check.paired.losses))
        what = f"lost against the baseline on {measure}"
    else:
        rows = rows.filter(pl.col(VALUE) < check.expected).sort(VALUE, maintain_order=True)
        what = f"below {check.expected:g} on {measure}"
    count = rows.height
    yield f"{counted(count, 'question')} {what}{':' if count else ''}"
    for row in rows.head(shown if shown is not None else count).iter_rows(named=True):
        yield from _question(row)
    if shown is not None and count > shown:
        yield f"  ... and {count - shown:,} more; -vv lists all of them"


def _question(row: dict[str, Any]) -> Iterator[str]:
    value = f"{number(row[VALUE])}, " if 0 < row[VALUE] < 1 else ""
    why = "no relevant item" if row[OUTCOME] is None else f"{row[OUTCOME]}: {row[WHY]}"
    yield f"  {row[QUERY]}  {value}{why}"
    if row[QUESTION] and row[QUESTION] != row[QUERY]:
        yield f"      {one_line(row[QUESTION], longest=_LONGEST)}"
