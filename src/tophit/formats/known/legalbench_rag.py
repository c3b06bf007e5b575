"""`legalbench-rag`: benchmarks of LegalBench-RAG.

    {"tests": [{"query", "snippets": [{"file_path", "span": [start, end], "answer"}], "tags": []}]}

The questions are called by their text. `answer`, the snippet's text, is there
where the benchmark was written with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tophit.formats.definition import Format, Role, roles
from tophit.formats.reading import jsontext
from tophit.formats.reading.files import Source
from tophit.formats.reading.sniff import sample
from tophit.records.build import QuestionsBuilder
from tophit.records.questions import Alternative, Item, tags_of
from tophit.records.values import Faults, Values
from tophit.relations import Questions


def recognise(source: Source) -> frozenset[Role]:
    """One object with `tests`, which have `snippets`."""
    if not sample(source).has("tests"):
        return roles()
    whole = jsontext.document(source)
    tests = whole.get("tests") if isinstance(whole, dict) else None
    first = tests[0] if isinstance(tests, list) and tests else None
    return roles("questions") if isinstance(first, dict) and "snippets" in first else roles()


def read_questions(source: Source) -> Questions:
    """Read the questions. Errors: `InputError` with the place of every fault."""
    whole = jsontext.document(source)
    if not isinstance(whole, dict) or not isinstance(whole.get("tests"), list):
        jsontext.records(source)
        raise source.error('one object with a list "tests"', "another JSON value")
    builder = QuestionsBuilder(source)
    for at, test in enumerate(whole["tests"]):
        where = f"tests[{at}]"
        if not isinstance(test, dict) or not isinstance(test.get("snippets"), list):
            expected = 'an object with a list "snippets"'
            builder.faults.add(expected=expected, value=test, field=where)
            continue
        items = [
            Item((_piece(snippet, builder.faults, f"{where}.snippets[{number}]"),))
            for number, snippet in enumerate(test["snippets"])
        ]
        tags = tags_of(test.get("tags"), builder.faults, line=None)
        builder.add(None, items, question=test.get("query"), tags=tags, field=f"{where}.query")
    return builder.build()


def _piece(snippet: Any, faults: Faults, field: str) -> Alternative:
    span = snippet.get("span") if isinstance(snippet, Mapping) else None
    if not isinstance(span, list) or len(span) != 2:
        faults.add(expected='"file_path" and "span": [start, end]', value=snippet, field=field)
        return Alternative()
    record = {**snippet, "span[0]": span[0], "span[1]": span[1]}
    values = Values(record, faults, line=None, field=f"{field}.")
    if "file_path" not in snippet:
        faults.add(expected="the path of a document", value=None, field=f"{field}.file_path")
    doc, text = values.id("file_path"), values.text("answer")
    return Alternative(None, text or None, doc, *values.span("span[0]", "span[1]", filled=True))


FORMAT = Format(
    name="legalbench-rag",
    description="benchmarks of LegalBench-RAG: snippets as spans of files",
    recognise=recognise,
    keys=(("tests",), ("snippets",)),
    read_questions=read_questions,
)
