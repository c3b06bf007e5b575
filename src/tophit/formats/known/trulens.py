"""`trulens`: ground-truth sets of TruLens, as JSON, JSON lines, CSV or Parquet.

    query, query_id, expected_response, expected_chunks: [{"text", "title", "expect_score"}]

A chunk may also be a bare text. `expect_score` (or `expected_score`) is the grade, 1 without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tophit.errors import DataWarning
from tophit.formats.definition import Format, Role, roles
from tophit.formats.reading import samples
from tophit.formats.reading.files import Source
from tophit.formats.reading.rows import rows
from tophit.formats.reading.sniff import sample
from tophit.records.build import QuestionsBuilder
from tophit.records.cells import listed
from tophit.records.questions import Alternative, Item
from tophit.records.values import Values
from tophit.relations import Questions

_SCORES = ("expect_score", "expected_score")


def recognise(source: Source) -> frozenset[Role]:
    """By `query` with `expected_chunks` or `expected_response`."""
    seen = sample(source)
    is_one = seen.has("query") and seen.has_any("expected_chunks", "expected_response")
    return roles("questions") if is_one else roles()


def read_questions(source: Source) -> Questions:
    """Read the questions. Errors: `InputError` with the line and field of every fault."""
    builder = QuestionsBuilder(source)
    stood_in = low = 0
    for line, record in rows(source):
        items = _chunks(record, builder, line)
        if items is None:
            stood_in += 1
            items = _response(record, builder, line)
        low += sum(0 < item.grade < 1 for item in items)
        field, key = samples.pick(record, ("query_id", "id"))
        builder.add(key, items, question=record.get("query"), line=line, field=field)
    return builder.build(warnings=samples.answers_stand_in(stood_in) + _low_grades(low))


def _chunks(
    record: Mapping[str, Any], builder: QuestionsBuilder, line: int | None
) -> list[Item] | None:
    value = record.get("expected_chunks")
    if value is None:
        return None
    entries = listed(value, builder.faults, line=line, field="expected_chunks")
    items = []
    for at, entry in enumerate([value] if entries is None else entries):
        field = f"expected_chunks[{at}]"
        chunk = {"text": entry} if isinstance(entry, str) else entry
        if not isinstance(chunk, Mapping) or chunk.get("text") is None:
            expected = 'a text, or an object with "text"'
            builder.faults.add(expected=expected, value=entry, line=line, field=field)
            continue
        values = Values(chunk, builder.faults, line=line, field=f"{field}.")
        grade = values.number(samples.pick(chunk, _SCORES)[0])
        piece = Alternative(text=values.filled_text("text"))
        items.append(Item((piece,), 1.0 if grade is None else grade))
    return items


def _response(record: Mapping[str, Any], builder: QuestionsBuilder, line: int | None) -> list[Item]:
    text = Values(record, builder.faults, line=line).filled_text("expected_response")
    if text is None:
        expected = "expected_chunks ([] where unanswerable) or expected_response"
        builder.faults.add(expected=expected, value=None, line=line)
    return [Item((Alternative(text=text),))]


def _low_grades(count: int) -> tuple[DataWarning, ...]:
    if not count:
        return ()
    message = (
        f"{count:,} expected chunks have a grade between 0 and 1, which is below the relevance "
        "level 1 (--min-grade sets another)"
    )
    return (DataWarning(code="grades_below_one", count=count, message=message),)


FORMAT = Format(
    name="trulens",
    description="ground-truth sets of TruLens",
    recognise=recognise,
    keys=(("query",), ("expected_chunks", "expected_response")),
    read_questions=read_questions,
)
