"""`deepeval`: goldens and test cases of DeepEval, as JSON, JSON lines or CSV.

    input, actual_output, expected_output, retrieval_context, context

or the same in camel case. `context` is what should be found; without it `expected_output` stands
in. DeepEval's own JSON lines and CSV join the texts of a list by `|`; they are split there again.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from tophit.errors import DataWarning
from tophit.formats.definition import Format, Role, roles
from tophit.formats.reading import samples
from tophit.formats.reading.files import Source
from tophit.formats.reading.rows import rows
from tophit.formats.reading.sniff import sample
from tophit.records.cells import list_in
from tophit.relations import Questions, Run

_BAR = "|"
_WITH_SOURCE = re.compile(r"deepeval_source=.*?,deepeval_context=(.*)", re.DOTALL)
_PASSAGES = ("context",)
_RETRIEVED = ("retrieval_context", "retrievalContext")


def _text_of(entry: Any) -> Any:
    if isinstance(entry, dict):
        return entry.get("context", entry)
    marked = _WITH_SOURCE.fullmatch(entry) if isinstance(entry, str) else None
    return marked[1] if marked else entry


_FIELDS = samples.Fields(
    question=("input",),
    passages=_PASSAGES,
    answers=("expected_output", "expectedOutput"),
    retrieved=_RETRIEVED,
    response=("actual_output", "actualOutput"),
    split=lambda text: text.split(_BAR),
    text_of=_text_of,
)


def recognise(source: Source) -> frozenset[Role]:
    """By `input` and one of DeepEval's own names."""
    seen = sample(source)
    if not seen.has("input"):
        return roles()
    found: set[Role] = set()
    if seen.has_any(*_FIELDS.answers) or (
        seen.has("context") and seen.has_any(*_RETRIEVED, *_FIELDS.response)
    ):
        found.add("questions")
    if seen.has_any(*_RETRIEVED):
        found.add("run")
    return frozenset(found)


def read_questions(source: Source) -> Questions:
    """Read the questions. Errors: `InputError` with the line and field of every fault."""
    questions = samples.read_questions(source, _FIELDS)
    return replace(questions, warnings=questions.warnings + _split(source, _PASSAGES))


def read_run(source: Source, name: str | None) -> Run:
    """Read what was retrieved. Errors: `InputError` with the line and field of every fault."""
    run = samples.read_run(source, _FIELDS, name)
    return replace(run, warnings=run.warnings + _split(source, _RETRIEVED))


def _split(source: Source, names: tuple[str, ...]) -> tuple[DataWarning, ...]:
    """The warning that lists were split, since a text may have held the mark itself."""
    values = [samples.pick(row.values, names)[1] for row in rows(source)]
    count = sum(isinstance(v, str) and list_in(v) is None and _BAR in v for v in values)
    if not count:
        return ()
    message = (
        f"{count:,} lists under {names[0]} are joined by '|' and were split there; "
        "a text that holds a '|' itself is torn apart"
    )
    return (DataWarning(code="split_lists", count=count, message=message),)


FORMAT = Format(
    name="deepeval",
    description="goldens and test cases of DeepEval",
    recognise=recognise,
    keys=(_FIELDS.question, (*_FIELDS.answers, *_FIELDS.retrieved)),
    read_questions=read_questions,
    read_run=read_run,
)
