"""What the evaluation tools' sample files share: one record with a question, passages, an answer.

What a question should find are its reference passages. Where a record has none, its reference
answer stands in for them, and a warning counts it: an answer's words need not stand in any chunk.
An empty list of passages is an unanswerable question; a record with neither is a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tophit.errors import DataWarning
from tophit.formats.reading.files import Source
from tophit.formats.reading.rows import Row, rows
from tophit.records.build import QuestionsBuilder, RunBuilder
from tophit.records.cells import listed, unwrapped
from tophit.records.places import Place
from tophit.records.questions import Alternative, Item
from tophit.records.values import Description, Faults, id_of
from tophit.relations import SYNONYMS, TEXT, Questions, Run

_IDS = ("id", "query_id", "qid", "question_id")
Names = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Fields:
    """How a tool calls the fields of its records; each has the names of several versions.

    `split` turns a text that holds a whole list into its elements; `text_of` gives the text of
    an element that is more than its text.
    """

    question: Names
    passages: Names = ()
    passage_ids: Names = ()
    answers: Names = ()
    retrieved: Names = ()
    retrieved_ids: Names = ()
    response: Names = ()
    ids: Names = _IDS
    split: Callable[[str], list[Any]] | None = None
    text_of: Callable[[Any], Any] | None = None


def pick(record: Mapping[str, Any], names: Names) -> tuple[str, Any]:
    """The first of these fields that holds something, or the first name and None.

    >>> pick({"a": None, "b": 1}, ("a", "b")), pick({}, ("a", "b"))
    (('b', 1), ('a', None))
    """
    for name in names:
        if record.get(name) is not None:
            return name, record[name]
    return (names[0] if names else "", None)


def read_questions(source: Source, fields: Fields) -> Questions:
    """Read the questions of a sample file. Errors: `InputError` with all faults."""
    builder = QuestionsBuilder(source)
    stood_in = 0
    for row in rows(source):
        items, from_answer = _expected(row, fields, builder.faults)
        stood_in += from_answer
        field, key = pick(row.values, fields.ids)
        question = pick(row.values, fields.question)[1]
        builder.add(key, items, question=question, line=row.line, field=field)
    return builder.build(warnings=answers_stand_in(stood_in))


def answers_stand_in(count: int) -> tuple[DataWarning, ...]:
    """The warning that reference answers are looked for instead of passages."""
    if not count:
        return ()
    message = (
        f"{count:,} questions name no passages, so their reference answer is what is looked for; "
        "its words need not stand in any chunk"
    )
    return (DataWarning(code="answer_as_passage", count=count, message=message),)


def _expected(row: Row, fields: Fields, faults: Faults) -> tuple[list[Item], bool]:
    line, record = row
    text_field, texts = _texts(record, fields.passages, faults, line=line, fields=fields)
    id_field, ids = _ids(record, fields.passage_ids, faults, line=line)
    if texts is not None or ids is not None:
        pieces = _paired(ids, texts, faults, line=line, field=id_field)
        for at, piece in enumerate(pieces):
            if piece.id is None and not (piece.text or "").strip():
                expected, field = "a text that is not empty", f"{text_field}[{at}]"
                faults.add(expected=expected, value=piece.text, line=line, field=field)
        return [Item((piece,)) for piece in pieces], False
    field, answers = _texts(record, fields.answers, faults, line=line)
    alternatives = tuple(Alternative(text=answer) for answer in answers or () if answer.strip())
    if not alternatives:
        names = " or ".join((*fields.passages[:1], *fields.passage_ids[:1], *fields.answers[:1]))
        faults.add(expected=f"{names} ([] where unanswerable)", value=None, line=line, field=field)
        return [], False
    return [Item(alternatives)], True


def _paired(
    ids: list[str] | None,
    texts: list[str] | None,
    faults: Faults,
    *,
    line: int | None,
    field: str,
) -> list[Alternative]:
    if ids is None:
        return [Alternative(text=text) for text in texts or ()]
    # A tool that knows only one of the two may write the other as an empty list.
    if not texts:
        return [Alternative(id=key) for key in ids]
    if not ids:
        return [Alternative(text=text) for text in texts]
    if len(ids) != len(texts):
        expected = f"as many ids as texts, {len(texts)}"
        faults.add(expected=expected, value=Description(str(len(ids))), line=line, field=field)
    return [Alternative(id=key, text=text) for key, text in zip(ids, texts, strict=False)]


def _texts(
    record: Mapping[str, Any],
    names: Names,
    faults: Faults,
    *,
    line: int | None,
    fields: Fields | None = None,
    ordered: bool = False,
) -> tuple[str, list[str] | None]:
    """The texts that the first of these fields holds: a list, or one text."""
    field, value = pick(record, names)
    if value is None:
        return field, None
    entries = listed(value, faults, line=line, field=field, ordered=ordered)
    if entries is None and isinstance(value, str):
        entries = fields.split(value) if fields and fields.split else [value]
    if entries is None:
        faults.add(expected="a list of texts", value=value, line=line, field=field)
        return field, []
    if fields and fields.text_of:
        entries = [fields.text_of(entry) for entry in entries]
    entries = [_text_in(entry) for entry in unwrapped(entries)]
    for at, entry in enumerate(entries):
        if not isinstance(entry, str):
            faults.add(expected="text", value=entry, line=line, field=f"{field}[{at}]")
    return field, [entry for entry in entries if isinstance(entry, str)]


def _text_in(entry: Any) -> Any:
    """The text of an object, `Document(page_content='a')`, under any of the usual names."""
    if not isinstance(entry, Mapping):
        return entry
    return pick(entry, (TEXT, *SYNONYMS[TEXT]))[1]


def _ids(
    record: Mapping[str, Any], names: Names, faults: Faults, *, line: int | None
) -> tuple[str, list[str] | None]:
    """The ids that the first of these fields holds: a list, or one id."""
    field, value = pick(record, names)
    if value is None:
        return field, None
    entries = listed(value, faults, line=line, field=field, words=True)
    entries = [value] if entries is None else entries
    entries = unwrapped(entries)
    ids = [id_of(entry) for entry in entries]
    for at, key in enumerate(ids):
        if key is None:
            faults.add(expected="an id", value=entries[at], line=line, field=f"{field}[{at}]")
    return field, [key for key in ids if key is not None]


def read_run(source: Source, fields: Fields, name: str | None) -> Run:
    """Read what was retrieved in a sample file. Errors: `InputError` with all faults."""
    builder = RunBuilder(source)
    for line, record in rows(source):
        field, texts = _texts(
            record, fields.retrieved, builder.faults, line=line, fields=fields, ordered=True
        )
        id_field, ids = _ids(record, fields.retrieved_ids, builder.faults, line=line)
        if texts is None and ids is None:
            names = " or ".join((*fields.retrieved[:1], *fields.retrieved_ids[:1]))
            builder.faults.add(expected=f"{names}, a list", value=None, line=line, field=field)
        pieces = _paired(ids, texts, builder.faults, line=line, field=id_field)
        key_field, key = pick(record, fields.ids)
        builder.add(
            key,
            [Place(id=piece.id, text=piece.text) for piece in pieces],
            question=pick(record, fields.question)[1],
            answer=pick(record, fields.response)[1],
            line=line,
            field=key_field,
        )
    return builder.build(name=name)
