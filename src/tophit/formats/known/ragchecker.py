"""`ragchecker`: inputs of RAGChecker.

    {"results": [{"query_id", "query", "gt_answer", "response",
                  "retrieved_context": [{"doc_id", "text"}]}]}

There are no reference passages, so the ground-truth answer is what is looked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tophit.formats.definition import Format, Role, roles
from tophit.formats.reading import jsontext, samples
from tophit.formats.reading.files import Source
from tophit.formats.reading.sniff import sample
from tophit.records.build import QuestionsBuilder, RunBuilder
from tophit.records.made import made_id
from tophit.records.places import Place
from tophit.records.questions import Alternative, Item
from tophit.records.values import Faults, Values
from tophit.relations import Questions, Run


def recognise(source: Source) -> frozenset[Role]:
    """One object whose `results` have `gt_answer` or `retrieved_context`."""
    if not sample(source).has("results"):
        return roles()
    whole = jsontext.document(source)
    results = whole.get("results") if isinstance(whole, dict) else None
    if not isinstance(results, list) or not results or not isinstance(results[0], dict):
        return roles()
    found: set[Role] = set()
    if "gt_answer" in results[0]:
        found.add("questions")
    if "retrieved_context" in results[0]:
        found.add("run")
    return frozenset(found)


def _results(source: Source, faults: Faults) -> Iterator[tuple[str, dict[str, Any]]]:
    whole = jsontext.document(source)
    results = whole.get("results") if isinstance(whole, dict) else None
    if not isinstance(results, list):
        jsontext.records(source)
        raise source.error('one object with a list "results"', "another JSON value")
    for at, record in enumerate(results):
        if isinstance(record, dict):
            yield f"results[{at}].", record
        else:
            faults.add(expected="a JSON object", value=record, field=f"results[{at}]")


def read_questions(source: Source) -> Questions:
    """Read the questions. Errors: `InputError` with the field of every fault."""
    builder = QuestionsBuilder(source)
    count = 0
    for field, record in _results(source, builder.faults):
        answer = Values(record, builder.faults, line=None, field=field).filled_text("gt_answer")
        if record.get("gt_answer") is None:
            builder.faults.add(expected="text", value=None, field=f"{field}gt_answer")
        count += 1
        builder.add(
            record.get("query_id"), [Item((Alternative(text=answer),))],
            question=record.get("query"), field=f"{field}query_id",
        )  # fmt: skip
    return builder.build(warnings=samples.answers_stand_in(count))


def read_run(source: Source, name: str | None) -> Run:
    """Read what was retrieved. Errors: `InputError` with the field of every fault."""
    builder = RunBuilder(source)
    for field, record in _results(source, builder.faults):
        context = record.get("retrieved_context")
        if not isinstance(context, list):
            expected, at = "a list", f"{field}retrieved_context"
            builder.faults.add(expected=expected, value=context, field=at)
            context = []
        builder.add(
            record.get("query_id"), _places(context, builder.faults, f"{field}retrieved_context"),
            question=record.get("query"), answer=record.get("response"), field=f"{field}query_id",
        )  # fmt: skip
    return builder.build(name=name)


def _places(context: list[Any], faults: Faults, field: str) -> list[Place]:
    places: list[Place] = []
    texts: dict[str, str | None] = {}
    for at, entry in enumerate(context):
        if not isinstance(entry, Mapping) or entry.get("text") is None:
            expected = 'an object with "text"'
            faults.add(expected=expected, value=entry, field=f"{field}[{at}]")
            continue
        values = Values(entry, faults, line=None, field=f"{field}[{at}].")
        doc, text = values.optional_id("doc_id"), values.text("text")
        key = doc
        if doc is not None and texts.setdefault(doc, text) != text:
            # Two passages of one document are not one chunk twice.
            key = made_id(text or "")
        places.append(Place(id=key, text=text, doc=doc))
    return places


FORMAT = Format(
    name="ragchecker",
    description="inputs of RAGChecker: answers and retrieved contexts",
    recognise=recognise,
    keys=(("results",), ("gt_answer", "retrieved_context")),
    read_questions=read_questions,
    read_run=read_run,
)
