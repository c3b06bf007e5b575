"""`spring-ai`: dumped `ChatResponse` or `ChatClientResponse` objects of Spring AI.

The documents stand under `qa_retrieved_documents` or `rag_document_context`, in `metadata` or in
`context`; a document is

    {"id", "text", "metadata": {"distance", "parent_document_id", ...}, "score"}

A file holds one response, an array of them, one a line, or an object `{query: response}`. A
response does not know its question: a field `id`, `query_id` or `question` beside it names it. Else
it is called by what was answered or found, which pairs with no question, and a warning says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tophit.errors import DataWarning
from tophit.formats.definition import Format, Role, roles
from tophit.formats.reading import jsontext
from tophit.formats.reading.files import Source
from tophit.formats.reading.samples import pick
from tophit.formats.reading.sniff import sample
from tophit.records.build import RunBuilder
from tophit.records.made import made_id
from tophit.records.places import Place
from tophit.records.values import Faults, Values
from tophit.relations import Run

_DOCUMENTS = ("qa_retrieved_documents", "rag_document_context")
_WRAPPERS = ("chatClientResponse", "chatResponse", "response")
_IDS = ("query_id", "qid", "question_id", "id")
_QUESTIONS = ("question", "query")


class _Response(NamedTuple):
    line: int | None
    where: str
    key: Any
    record: Any


def recognise(source: Source) -> frozenset[Role]:
    """By the keys under which Spring AI keeps the documents."""
    if sample(source).kind != "json":
        return roles()
    first = sample(source).first
    candidates = [first, *(first.values() if isinstance(first, Mapping) else ())]
    return roles("run") if any(_documents(value) is not None for value in candidates) else roles()


def _documents(record: Any) -> tuple[str, Any] | None:
    """Where the documents of a response stand, and what stands there."""
    if not isinstance(record, Mapping):
        return None
    for holder in ("context", "metadata", None):
        inside = record if holder is None else record.get(holder)
        if not isinstance(inside, Mapping):
            continue
        for name in _DOCUMENTS:
            if name in inside:
                return (f"{holder}.{name}" if holder else name), inside[name]
    for wrapper in _WRAPPERS:
        if (found := _documents(record.get(wrapper))) is not None:
            return f"{wrapper}.{found[0]}", found[1]
    return None


def _responses(source: Source) -> Iterator[_Response]:
    records = jsontext.records(source)
    whole = records[0].value if len(records) == 1 else None
    if isinstance(whole, dict) and _documents(whole) is None:
        for key, value in whole.items():
            yield _Response(None, f"{key!r}: ", key, value)
        return
    for line, value in records:
        yield _Response(line, "", pick(value, _IDS)[1] if isinstance(value, dict) else None, value)


def read_run(source: Source, name: str | None) -> Run:
    """Read a run: the given order, with scores. Errors: `InputError` with all faults."""
    builder = RunBuilder(source)
    unnamed = 0
    for line, where, key, record in _responses(source):
        found = _documents(record)
        if found is None or not isinstance(found[1], list):
            field = f"{where}{found[0]}" if found else f"{where}{_DOCUMENTS[0]}"
            value = found[1] if found else None
            builder.faults.add(expected="a list of documents", value=value, line=line, field=field)
            continue
        places = [
            _place(document, builder.faults, line=line, field=f"{where}{found[0]}[{at}]")
            for at, document in enumerate(found[1])
        ]
        question = pick(record, _QUESTIONS)[1]
        if key is None and question is None:
            unnamed += 1
            key = made_id(_answer(record) or " ".join(place.text or "" for place in places))
        builder.add(
            key, places, question=question, line=line, field=f"{where}id", answer=_answer(record)
        )
    return builder.build(name=name, warnings=_unnamed(unnamed))


def _unnamed(count: int) -> tuple[DataWarning, ...]:
    if not count:
        return ()
    message = (
        f"responses that name no question: {count:,}; a field id or question beside each says "
        "which one it answers"
    )
    return (DataWarning(code="queries_unnamed", count=count, message=message),)


def _place(document: Any, faults: Faults, *, line: int | None, field: str) -> Place:
    if not isinstance(document, Mapping):
        faults.add(expected="a document", value=document, line=line, field=field)
        return Place()
    values = Values(document, faults, line=line, field=f"{field}.")
    if "id" not in document:
        faults.add(expected="an id", value=None, line=line, field=f"{field}.id")
    metadata = document.get("metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    doc = Values(metadata, faults, line=line, field=f"{field}.metadata.").optional_id(
        "parent_document_id"
    )
    text_field = pick(document, ("text", "content"))[0]
    score = values.number("score")
    return Place(id=values.id("id"), score=score, text=values.text(text_field), doc=doc)


def _answer(record: Any) -> str | None:
    """The text of the first generation, if it was dumped too."""
    for wrapper in _WRAPPERS:
        if isinstance(record.get(wrapper), Mapping):
            return _answer(record[wrapper])
    results = record.get("results")
    result = record.get("result") or (results[0] if isinstance(results, list) and results else None)
    output = result.get("output") if isinstance(result, Mapping) else None
    text = pick(output, ("text", "content"))[1] if isinstance(output, Mapping) else None
    return text if isinstance(text, str) else None


FORMAT = Format(
    name="spring-ai",
    description="dumped responses of Spring AI with the documents that were retrieved",
    recognise=recognise,
    read_run=read_run,
)
