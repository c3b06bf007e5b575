"""JUnit XML: a test case a question, which CI systems list by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import polars as pl

from tophit.diagnosis import Diagnosis
from tophit.gates import GateReport
from tophit.relations import QUERY
from tophit.report.frames import scores_frame
from tophit.result import Result

# What XML 1.0 cannot hold, escaped or not.
_FORBIDDEN = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535), "�")


def junit_xml(
    results: Sequence[Result],
    *,
    diagnoses: Mapping[str, Diagnosis] | None = None,
    gates: Mapping[str, GateReport] | None = None,
    order: Sequence[str] = (),
) -> str:
    """A suite a run, a case a question that counts, and a suite of the gates.

    A question fails where the first measure is 0; the failure says why where there is a diagnosis.
    Unanswerable questions are skipped. A case of a gate fails as the gate does.

    >>> import tophit
    >>> result = tophit.evaluate({"q1": ["a"], "q2": ["b"]}, {"q1": ["a"]}, measures="Hit@4")
    >>> print(junit_xml([result]).splitlines()[1])
    <testsuites name="tophit" tests="2" failures="1" skipped="0">
    """
    root = Element("testsuites", name="tophit")
    for result in results:
        told = (diagnoses or {}).get(result.name)
        _run_suite(root, result, told, order=order)
    for name, report in (gates or {}).items():
        _gate_suite(root, name, report)
    _count(root, list(root))
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _run_suite(
    root: Element, result: Result, told: Diagnosis | None, *, order: Sequence[str]
) -> None:
    suite = SubElement(root, "testsuite", name=_text(result.name))
    first = next(iter(result.measures))
    reasons = {} if told is None else _reasons(told)
    for row in scores_frame([result], order=order).iter_rows(named=True):
        query, values = row[QUERY], {name: row[name] for name in result.measures}
        case = SubElement(suite, "testcase", classname=_text(result.name), name=_text(query))
        shown = ", ".join(f"{name} {value:.4f}" for name, value in values.items())
        if values[first] == 0:
            reason = reasons.get(query, f"{first} is 0")
            failure = SubElement(case, "failure", type=first, message=_text(reason))
            failure.text = _text(shown)
        else:
            SubElement(case, "system-out").text = _text(shown)
    for query in () if told is None else told.unanswerable:
        case = SubElement(suite, "testcase", classname=_text(result.name), name=_text(query))
        SubElement(case, "skipped", message="unanswerable")
    _count(suite, [suite])


def _gate_suite(root: Element, name: str, report: GateReport) -> None:
    suite = SubElement(root, "testsuite", name=_text(f"gates of {name}"))
    for check in report.checks:
        case = SubElement(suite, "testcase", classname=_text(f"gates of {name}"), name=check.case)
        if not check.passed:
            SubElement(case, "failure", type="gate", message=_text(str(check)))
    _count(suite, [suite])


def _reasons(told: Diagnosis) -> dict[str, str]:
    rows = told.questions.select(QUERY, pl.format("{}: {}", "outcome", "why").alias("reason"))
    return dict(rows.iter_rows())


def _count(element: Element, suites: Sequence[Element]) -> None:
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
        element.set(name, str(sum(len(list(suite.iter(tag))) for suite in suites)))


def _text(text: str) -> str:
    return str(text).translate(_FORBIDDEN)
