"""JUnit XML: a test case a question, and one a gate, for whatever shows test results.

A run is a test suite. A question fails where the measure of the gate is 0, and the message says
why; a question that does not count is skipped. There is no time in it: the same input gives the
same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from tophit.gates import Check
from tophit.relations import QUERY, QUESTION
from tophit.report.misses import LINE, OUTCOME, VALUE, Account, details, one_line, reason
from tophit.report.summary import bounds, number

_LONGEST_NAME = 200
# What XML 1.0 cannot hold, not even as a reference.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_REPLACED = "\ufffd"


def junit_parts(accounts: Sequence[Account]) -> Iterator[str]:
    """The XML in parts, so that a report of millions of questions is never held whole.

    >>> import tophit
    >>> from tophit.report.misses import account
    >>> judged, run = {"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["x"]}
    >>> result = tophit.evaluate(judged, run, measures="Hit@4")
    >>> parts = junit_parts([account(result, tophit.diagnose(judged, run))])
    >>> print("".join(parts).splitlines()[-4])
    <failure message="missed: no part of it was retrieved; the index would tell why" ...
    """
    totals = [_counts(each) for each in accounts]
    summed = {name: sum(each[name] for each in totals) for name in totals[0]} if totals else {}
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<testsuites {_attributes({'name': 'tophit', **summed})}>\n"
    for each, counts in zip(accounts, totals, strict=True):
        yield from _suite(each, counts)
    yield "</testsuites>\n"


def _counts(found: Account) -> dict[str, int]:
    values = found.questions[VALUE]
    return {
        "tests": len(values) + len(found.gates.checks),
        "failures": found.failed.height + len(found.gates.failed),
        "errors": 0,
        "skipped": values.null_count(),
        "time": 0,
    }


def _suite(found: Account, counts: Mapping[str, int]) -> Iterator[str]:
    result = found.result
    yield f"  <testsuite {_attributes({'name': result.name, **counts})}>\n"
    yield "    <properties>\n"
    settings = {"k": str(result.k), "match": result.match}
    scores = {name: f"{number(s.value)} {bounds(s)}" for name, s in result.measures.items()}
    for name, value in {**settings, **scores}.items():
        yield f"      <property {_attributes({'name': name, 'value': value})}/>\n"
    yield "    </properties>\n"
    for row in found.questions.iter_rows(named=True):
        yield _question(row, found)
    for check in found.gates.checks:
        yield _gate(check, found)
    yield "  </testsuite>\n"


def _question(row: Mapping[str, Any], found: Account) -> str:
    called = f"{row[QUERY]}: {row[QUESTION]}" if row[QUESTION] else row[QUERY]
    case: dict[str, Any] = {
        "classname": f"{found.result.name}/{found.measure}",
        "name": one_line(called, longest=_LONGEST_NAME),
        "time": 0,
    }
    if found.source is not None and row[LINE] is not None:
        case |= {"file": found.source, "line": row[LINE]}
    if row[VALUE] is None:
        why = "unanswerable" if row[OUTCOME] is None else "left out of this population"
        return _case(case, "skipped", why)
    if row[VALUE] > 0:
        return _case(case)
    message = reason(row, found.measure)
    body = "\n".join([message, *details(row)])
    return _case(case, "failure", message, kind=row[OUTCOME] or "missed", body=body)


def _gate(check: Check, found: Account) -> str:
    name = f"{check.case} >= {check.expected:.4g}"
    case = {"classname": f"{found.result.name}/gates", "name": name, "time": 0}
    if check.passed:
        return _case(case)
    text = str(check).removeprefix("FAILED ")
    lost = [] if check.paired is None else check.paired.losses
    body = "\n".join([text, *(f"lost: {one_line(query)}" for query in lost)])
    return _case(case, "failure", text, kind="gate", body=body)


def _case(
    attributes: Mapping[str, Any],
    element: str = "",
    message: str = "",
    *,
    kind: str | None = None,
    body: str = "",
) -> str:
    opening = f"    <testcase {_attributes(attributes)}"
    if not element:
        return f"{opening}/>\n"
    typed = {} if kind is None else {"type": kind}
    inner = f"{element} {_attributes({'message': message, **typed})}"
    inner = f"<{inner}>{_text(body)}</{element}>" if body else f"<{inner}/>"
    return f"{opening}>\n      {inner}\n    </testcase>\n"


def _attributes(values: Mapping[str, Any]) -> str:
    return " ".join(f'{name}="{_quoted(value)}"' for name, value in values.items())


def _quoted(value: Any) -> str:
    """Text for an attribute, where a parser would turn a line end into a blank."""
    marks = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
    return escape(_allowed(str(value)), marks)


def _text(text: str) -> str:
    return escape(_allowed(text), {"\r": "&#13;"})


def _allowed(text: str) -> str:
    r"""The text with a mark for every character that XML cannot hold.

    >>> _allowed("a\x00b\x1b\ufffe")
    'a�b��'
    """
    return _FORBIDDEN.sub(_REPLACED, text)
