"""`chroma`: the question table of Chroma's chunking evaluation.

A table `question, references, corpus_id`, where `references` is a JSON list of
`{"content", "start_index", "end_index"}`. A question without an `id` is called by
its text.
"""

from __future__ import annotations

from typing import Any

from tophit.formats.definition import Format, Role, roles
from tophit.formats.reading.files import Source
from tophit.formats.reading.rows import rows
from tophit.formats.reading.sniff import sample
from tophit.records.build import QuestionsBuilder
from tophit.records.cells import listed
from tophit.records.questions import Alternative, Item
from tophit.records.values import Values
from tophit.relations import Questions


def recognise(source: Source) -> frozenset[Role]:
    """By its columns `question` and `references`."""
    return roles("questions") if sample(source).has("question", "references") else roles()


def read_questions(source: Source) -> Questions:
    """Read the questions. Errors: `InputError` with the line and field of every fault."""
    builder = QuestionsBuilder(source)
    for line, record in rows(source):
        references = listed(record.get("references"), builder.faults, line=line, field="references")
        if references is None:
            value = record["references"]
            builder.faults.add(expected="a list", value=value, line=line, field="references")
            continue
        corpus = Values(record, builder.faults, line=line).optional_id("corpus_id")
        items = [
            _item(entry, builder, corpus=corpus, line=line, field=f"references[{at}]")
            for at, entry in enumerate(references)
        ]
        builder.add(
            record.get("id"), [item for item in items if item is not None],
            question=record.get("question"), line=line,
        )  # fmt: skip
    return builder.build()


def _item(
    entry: Any, builder: QuestionsBuilder, *, corpus: str | None, line: int | None, field: str
) -> Item | None:
    if not isinstance(entry, dict) or entry.get("content") is None:
        expected = 'an object with "content"'
        builder.faults.add(expected=expected, value=entry, line=line, field=field)
        return None
    values = Values(entry, builder.faults, line=line, field=f"{field}.")
    text = values.filled_text("content")
    return Item(
        (Alternative(None, text, corpus, *values.span("start_index", "end_index", filled=True)),)
    )


FORMAT = Format(
    name="chroma",
    description="question table of Chroma's chunking evaluation, with passages and offsets",
    recognise=recognise,
    keys=(("question",), ("references",)),
    read_questions=read_questions,
)
