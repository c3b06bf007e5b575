"""Question by question: the value of one measure, and why it is what it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from tophit.diagnosis import Diagnosis
from tophit.evaluation.result import Result
from tophit.gates import GateReport
from tophit.measures import parse_measures
from tophit.relations import QUERY, QUESTION

VALUE = "value"
LINE = "line"
OUTCOME = "outcome"
WHY = "why"
_PIECES = ("piece", "missing_before", "missing_after")


@dataclass(frozen=True, kw_only=True)
class Account:
    """One run, question by question, on the measure that decides which questions failed.

    `questions` has a row a question: query_id, question, value (null where the question does not
    count), outcome and why (null without an item), piece, missing_before, missing_after, line.
    `source` is the file of the questions, None where there is none.
    """

    result: Result
    measure: str
    questions: pl.DataFrame = field(repr=False)
    gates: GateReport = field(default_factory=lambda: GateReport(checks=()))
    source: str | None = None

    @property
    def failed(self) -> pl.DataFrame:
        """The questions whose value is 0, in their order."""
        return self.questions.filter(pl.col(VALUE) == 0)


def account(
    result: Result,
    diagnosis: Diagnosis,
    *,
    measure: str | None = None,
    queries: pl.DataFrame | None = None,
    gates: GateReport | None = None,
    source: str | None = None,
    lines: Mapping[str, int] | None = None,
) -> Account:
    """Put the scores of a run and the reasons for them side by side.

    `measure` is one of the result's; without it that of the first gate, else Hit@k, else the first.
    `queries` are all questions in their order (query_id, question), else those of the diagnosis.

    >>> import tophit
    >>> judged, run = {"q1": ["a"], "q2": ["b"], "q3": []}, {"q1": ["x", "a"], "q2": ["x"]}
    >>> result = tophit.evaluate(judged, run, measures="Hit@4")
    >>> found = account(result, tophit.diagnose(judged, run))
    >>> found.questions.select("query_id", "value", "outcome").rows()
    [('q1', 1.0, 'found'), ('q2', 0.0, 'missed'), ('q3', None, None)]
    """
    chosen = measure or gate_measure(result, gates)
    told = diagnosis.questions
    asked = _asked(told, diagnosis.unanswerable) if queries is None else queries
    known = [name for name in (QUERY, QUESTION) if name in asked.columns]
    scores = result.by_question.select(QUERY, pl.col(chosen).alias(VALUE))
    reasons = told.select(QUERY, OUTCOME, WHY, *_PIECES)
    rows = (
        asked.select(known)
        .unique(QUERY, keep="first", maintain_order=True)
        .join(scores, on=QUERY, how="left", maintain_order="left")
        .join(reasons, on=QUERY, how="left", maintain_order="left")
    )
    if QUESTION not in known:
        rows = rows.with_columns(pl.lit(None, pl.String).alias(QUESTION))
    numbers = pl.col(QUERY).replace_strict(dict(lines or {}), default=None, return_dtype=pl.Int64)
    return Account(
        result=result,
        measure=chosen,
        questions=rows.with_columns(numbers.alias(LINE)),
        gates=gates or GateReport(checks=()),
        source=source,
    )


def _asked(told: pl.DataFrame, unanswerable: Sequence[str]) -> pl.DataFrame:
    rest = pl.DataFrame({QUERY: list(unanswerable)}, schema={QUERY: pl.String})
    return pl.concat([told, rest], how="diagonal")


def gate_measure(result: Result, gates: GateReport | None = None) -> str:
    """The measure whose zeros are failures: that of the first gate, else Hit@k, else the first.

    >>> import tophit
    >>> gate_measure(tophit.evaluate({"q": ["a"]}, {"q": ["a"]}, measures="MRR Hit@4", k=4))
    'Hit@4'
    """
    if gates is not None and gates.checks:
        return gates.checks[0].measure
    hit = f"Hit@{result.k}"
    return hit if hit in result.measures else next(iter(result.measures))


def cutoff_of(measure: str, *, k: int) -> int:
    """The number of places within which a question is found, for the diagnosis that fits a measure.

    >>> cutoff_of("Hit@10", k=4), cutoff_of("MRR", k=4)
    (10, 4)
    """
    cutoff = parse_measures(measure, k=k)[0].cutoff
    return cutoff.value if cutoff is not None and cutoff.unit == "places" else k


def reason(row: Mapping[str, Any], measure: str) -> str:
    """What became of a question with the value 0, in a line.

    >>> reason({"outcome": "late", "why": "whole at rank 9, and k is 4"}, "Hit@4")
    'late: whole at rank 9, and k is 4'
    """
    if row[OUTCOME] is None:
        return f"{measure} is 0: no relevant item"
    said = f"{row[OUTCOME]}: {row[WHY]}"
    return f"{measure} is 0, though {said}" if row[OUTCOME] == "found" else said


def details(row: Mapping[str, Any]) -> Iterator[str]:
    """What more is known of a question: its text, and the best piece of what it should find."""
    if row[QUESTION]:
        yield f"question: {one_line(row[QUESTION])}"
    if row["piece"]:
        yield f"best piece: {one_line(row['piece'])}"
        for name in ("missing_before", "missing_after"):
            if row[name]:
                yield f"{name.replace('_', ' ')} it: {one_line(row[name])}"


def one_line(text: str, *, longest: int | None = None) -> str:
    """The text with every run of white space as one blank, cut off where it is too long.

    >>> one_line(" a\\n b ", longest=5), one_line("a b c d", longest=5)
    ('a b', 'a b …')
    """
    plain = " ".join(text.split())
    if longest is None or len(plain) <= longest:
        return plain
    return plain[: longest - 1] + "…"
