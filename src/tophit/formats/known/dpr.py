"""`dpr`: retriever outputs of DPR, and the same as Pyserini writes it.

    [{"question", "answers": [], "ctxs": [{"id", "title", "text", "score", "has_answer"}]}]
    {qid: {"question", "answers": [], "contexts": [{"docid", "score", "text", "has_answer"}]}}

The answers are alternatives of one item. The given order counts; scores may be written as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tophit.formats.definition import Format, Role, roles
from tophit.formats.reading import jsontext
from tophit.formats.reading.files import Source
from tophit.formats.reading.samples import pick
from tophit.formats.reading.sniff import sample
from tophit.records.build import QuestionsBuilder, RunBuilder
from tophit.records.places import Place
from tophit.records.questions import Alternative, Item
from tophit.records.values import Faults, Values
from tophit.relations import Questions, Run

_CONTEXTS = ("ctxs", "contexts")


class _Entry(NamedTuple):
    line: int | None
    where: str
    key: Any
    record: dict[str, Any]


def recognise(source: Source) -> frozenset[Role]:
    """Records with `question`, `answers` and `ctxs` or `contexts`, in a list or by query id."""
    seen = sample(source)
    if seen.kind != "json":
        return roles()
    first = seen.first
    if isinstance(first, Mapping) and "question" not in first:
        first = next(iter(first.values()), None)
    if not isinstance(first, Mapping) or "question" not in first or "answers" not in first:
        return roles()
    has_run = any(isinstance(first.get(name), list) for name in _CONTEXTS)
    return roles("questions", "run") if has_run else roles("questions")


def _entries(source: Source, faults: Faults) -> Iterator[_Entry]:
    records = jsontext.records(source)
    whole = records[0].value if len(records) == 1 else None
    if isinstance(whole, dict) and "question" not in whole:
        found = [_Entry(None, f"{key!r}: ", key, value) for key, value in whole.items()]
    else:
        found = [_Entry(line, "", _key(value), value) for line, value in records]
    for entry in found:
        if isinstance(entry.record, dict):
            yield entry
        else:
            faults.add(expected="a JSON object", value=entry.record, line=entry.line,
                       field=entry.where or None)  # fmt: skip


def _key(record: Any) -> Any:
    return pick(record, ("id", "qid", "q_id", "query_id"))[1] if isinstance(record, dict) else None


def read_questions(source: Source) -> Questions:
    """Read the questions. Errors: `InputError` with the place of every fault."""
    builder = QuestionsBuilder(source)
    for line, where, key, record in _entries(source, builder.faults):
        answers = record.get("answers")
        if not isinstance(answers, list):
            builder.faults.add(expected="a list", value=answers, line=line, field=f"{where}answers")
            answers = []
        values = Values(
            {f"answers[{at}]": answer for at, answer in enumerate(answers)},
            builder.faults, line=line, field=where,
        )  # fmt: skip
        texts = [values.filled_text(f"answers[{at}]") for at in range(len(answers))]
        pieces = tuple(Alternative(text=text) for text in texts)
        items = [Item(pieces)] if pieces else []
        builder.add(key, items, question=record.get("question"), line=line, field=f"{where}id")
    return builder.build()


def read_run(source: Source, name: str | None) -> Run:
    """Read what was retrieved. Errors: `InputError` with the place of every fault."""
    builder = RunBuilder(source)
    for line, where, key, record in _entries(source, builder.faults):
        field, contexts = pick(record, _CONTEXTS)
        if not isinstance(contexts, list):
            expected, at = "a list", f"{where}{field}"
            builder.faults.add(expected=expected, value=contexts, line=line, field=at)
            contexts = []
        places = [
            _place(context, builder.faults, line=line, field=f"{where}{field}[{at}]")
            for at, context in enumerate(contexts)
        ]
        question = record.get("question")
        builder.add(key, places, question=question, line=line, field=f"{where}id")
    return builder.build(name=name)


def _place(context: Any, faults: Faults, *, line: int | None, field: str) -> Place:
    if not isinstance(context, Mapping):
        faults.add(expected="a JSON object", value=context, line=line, field=field)
        return Place()
    score = context.get("score")
    if isinstance(score, str):
        context = {**context, "score": _number(score)}
    values = Values(context, faults, line=line, field=f"{field}.")
    name = pick(context, ("docid", "id", "passage_id"))[0]
    key = values.id(name)
    if key is None and name not in context:
        faults.add(expected="an id", value=None, line=line, field=f"{field}.{name}")
    return Place(id=key, score=values.number("score"), text=values.text("text"))


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


FORMAT = Format(
    name="dpr",
    description="retriever outputs of DPR and Pyserini: answers and ranked contexts",
    recognise=recognise,
    keys=(("question",), ("answers",), _CONTEXTS),
    read_questions=read_questions,
    read_run=read_run,
)
