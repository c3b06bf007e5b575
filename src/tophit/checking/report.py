"""What a check gives: every finding, a summary to act on, and a corrected copy."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from tophit.checking.codes import CODES, Finding, Fix, action_for
from tophit.checking.standing import LevelCount
from tophit.errors import DataWarning
from tophit.relations import DOC, ITEM, QUERY, Questions
from tophit.showing import Shown


@dataclass(frozen=True, kw_only=True)
class CheckReport(Shown):
    """The faults of a question set.

    `findings` are in the order of `CODES`, errors first, and within one by question. `levels` says
    how many elements stand in the documents as they were compared, and on each level of folding
    that finds more; it is empty where all do, and without documents. `not_checked`
    says in words what was left out for want of documents or chunks.

    >>> import tophit
    >>> report = tophit.check({"q": ["c7"]}, chunks=[{"id": "c1", "text": "a"}])
    >>> report.ok, report.counts, report.findings[0].message
    (False, {'unknown_id': 1}, "'c7' is not in the index")
    """

    questions: Questions = field(repr=False)
    findings: tuple[Finding, ...]
    match: str
    total: int
    answerable: int
    elements: int
    documents: int | None = None
    chunks: int | None = None
    levels: tuple[LevelCount, ...] = ()
    not_checked: tuple[str, ...] = ()
    warnings: tuple[DataWarning, ...] = ()

    @property
    def ok(self) -> bool:
        """True without an error; there may be warnings and notes."""
        return all(finding.level != "error" for finding in self.findings)

    @property
    def counts(self) -> dict[str, int]:
        """How many findings each code has, those that have any."""
        names = [finding.code for finding in self.findings]
        return {name: names.count(name) for name in CODES if name in names}

    @property
    def frame(self) -> pl.DataFrame:
        """A row a finding: level, code, query_id, item_id, doc_id, message, count, fix.

        `fix` says in words which values `fix` writes, null where the right ones are not certain.
        """
        columns = {"level": pl.String, "code": pl.String, QUERY: pl.String, ITEM: pl.String,
                   DOC: pl.String, "message": pl.String, "count": pl.Int64,
                   "fix": pl.String}  # fmt: skip
        rows = [
            (f.level, f.code, f.query_id, f.item_id, f.doc_id, f.message, f.count, _in_words(f.fix))
            for f in self.findings
        ]
        return pl.DataFrame(rows, schema=columns, orient="row")

    @property
    def summary(self) -> pl.DataFrame:
        """A row a code that was found: level, code, findings, questions, fixable, what, action."""
        columns = {"level": pl.String, "code": pl.String, "findings": pl.Int64,
                   "questions": pl.Int64, "fixable": pl.Int64, "what": pl.String,
                   "action": pl.String}  # fmt: skip
        rows = []
        for name, count in self.counts.items():
            found = [finding for finding in self.findings if finding.code == name]
            fixable = sum(finding.fix is not None for finding in found)
            questions = len({finding.query_id for finding in found})
            code = CODES[name]
            action = action_for(name, found)
            rows.append((code.level, name, count, questions, fixable, code.summary, action))
        return pl.DataFrame(rows, schema=columns, orient="row")

    @property
    def fixed(self) -> Questions:
        """The questions with every certain fix made; nothing else changes."""
        # errors last: offsets that were looked up win over those that were moved with a blank
        fixes = [finding.fix for finding in reversed(self.findings)]
        return _fixed(self.questions, [fix for fix in fixes if fix is not None])

    def fix(self, path: str | os.PathLike[str], *, format: str = "jsonl") -> int:
        """Write the corrected copy; returns how many findings it settles.

        The questions that were given stay as they are.
        Errors: as `formats.write_questions`.
        """
        from tophit.formats import write_questions

        write_questions(self.fixed, os.fspath(path), format=format)
        return sum(finding.fix is not None for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain Python objects, as in the JSON output."""
        return {
            "ok": self.ok,
            "match": self.match,
            "questions": {
                "total": self.total,
                "answerable": self.answerable,
                "unanswerable": self.total - self.answerable,
            },
            "elements": self.elements,
            "documents": self.documents,
            "chunks": self.chunks,
            "summary": self.summary.to_dicts(),
            "findings": self.frame.to_dicts(),
            "levels": [each.to_dict() for each in self.levels],
            "not_checked": list(self.not_checked),
        }


def in_order(findings: Iterable[Finding], questions: Iterable[str]) -> tuple[Finding, ...]:
    """The findings by code in the order of the table, then by question."""
    codes = {name: place for place, name in enumerate(CODES)}
    places = {query: place for place, query in enumerate(dict.fromkeys(questions))}
    return tuple(
        sorted(findings, key=lambda f: (codes[f.code], places.get(f.query_id or "", len(places))))
    )


def _in_words(fix: Fix | None) -> str | None:
    if fix is None:
        return None
    return ", ".join(f"{name} {value!r}" for name, value in fix.values.items())


def _fixed(questions: Questions, fixes: Iterable[Fix]) -> Questions:
    changes: dict[int, dict[str, str | int]] = {}
    for fix in fixes:
        changes.setdefault(fix.row, {}).update(fix.values)
    judgments = questions.judgments
    for name in dict.fromkeys(name for values in changes.values() for name in values):
        column = judgments[name].to_list() if name in judgments.columns else [None] * len(judgments)
        for row, values in changes.items():
            column[row] = values.get(name, column[row])
        kind = pl.String if any(isinstance(value, str) for value in column) else pl.Int64
        judgments = judgments.with_columns(pl.Series(name, column, dtype=kind))
    return replace(questions, judgments=judgments)
