"""`jsonl`: tophit's own questions, runs and chunks, one JSON object a line.

    questions  {"id": "q1", "question": "...", "expected": [...], "tags": {"topic": "billing"}}
    runs       {"id": "q1", "retrieved": [{"id": "c7", ...}], "answer": "...", "abstained": false}
    chunks     {"id": "c7", "text": "...", "doc": "a.md", "start": 0, "end": 3120, "tokens": 791}

An element of `expected` is a text, an object, or `{"any_of": [...]}` of these. A JSON array of
such records, or an object that holds one under `questions`, `run` or `chunks`, is read too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from tophit.formats.definition import Format, Losses, Role, roles
from tophit.formats.reading import jsontext
from tophit.formats.reading.build import (
    Item,
    Piece,
    Place,
    QuestionsBuilder,
    RunBuilder,
    chunks_frame,
)
from tophit.formats.reading.fields import Extras, Faults, Values, Words, id_of, number_of
from tophit.formats.reading.files import Source, StrPath, atomic_write
from tophit.formats.reading.lines import lines_of_records
from tophit.formats.reading.plain_places import plain_places
from tophit.formats.reading.sniff import sample
from tophit.formats.writing.losses import in_order, match_ids
from tophit.relations import (
    ABSTAINED,
    ANSWER,
    CHUNK,
    DOC,
    END,
    GRADE,
    ITEM,
    QUERY,
    QUESTION,
    SCORE,
    START,
    TAG_PREFIX,
    TEXT,
    TOKENS,
    Questions,
    Run,
)

_QUESTION_FIELDS = ("id", "question", "expected", "tags")
_RUN_FIELDS = ("id", "question", "retrieved", "answer", "abstained")
_PLACE_FIELDS = ("id", "text", "score", "doc", "start", "end", "tokens")
_CHUNK_FIELDS = ("id", "text", "doc", "start", "end", "tokens")
_ITEM_FIELDS = ("id", "text", "doc", "start", "end", "grade")
_WRAPPERS: Mapping[str, Role] = {"questions": "questions", "run": "run", "chunks": "chunks"}
_EXPECTED = 'a text, or an object with "id", "text", or "doc", "start" and "end"'


def recognise(source: Source) -> frozenset[Role]:
    """Own records: by the field that only one role has."""
    seen = sample(source)
    if seen.kind != "json":
        return roles()
    if isinstance(seen.first, Mapping):
        for key, role in _WRAPPERS.items():
            if isinstance(seen.first.get(key), list):
                return roles(role)
    if seen.has("retrieved"):
        return roles("run")
    if seen.has("expected") or seen.has("id", "question"):
        return roles("questions")
    if seen.has("id", "text") or seen.has("id", "doc", "start", "end"):
        return roles("chunks")
    is_empty_array = seen.first is None and jsontext.document(source) == []
    return roles("questions", "run", "chunks") if is_empty_array else roles()


def _records(source: Source, faults: Faults, wrapper: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, value in jsontext.records(source):
        if isinstance(value, dict) and isinstance(value.get(wrapper), list):
            inner = [(line, element) for element in value[wrapper]]
        else:
            inner = [(line, value)]
        for at, record in inner:
            if isinstance(record, dict):
                yield at, record
            else:
                faults.add(expected="a JSON object", value=record, line=at)


def read_questions(source: Source) -> Questions:
    """Read questions. Errors: `InputError` with the line and field of every fault."""
    builder = QuestionsBuilder(source)
    for line, record in _records(source, builder.faults, "questions"):
        builder.extras.see(record, known=_QUESTION_FIELDS, line=line)
        expected = record.get("expected")
        items: list[Item] = []
        if isinstance(expected, list):
            for at, entry in enumerate(expected):
                item = _item(entry, builder, line=line, field=f"expected[{at}]")
                items += [] if item is None else [item]
        else:
            # Left out by mistake, it would make an unanswerable question of any other.
            builder.faults.add(expected="a list", value=expected, line=line, field="expected")
        tags = record.get("tags")
        if tags is not None and not isinstance(tags, dict):
            builder.faults.add(expected="an object", value=tags, line=line, field="tags")
            tags = None
        question = record.get("question")
        builder.add(record.get("id"), items, question=question, tags=tags, line=line)
    return builder.build()


def _item(entry: Any, builder: QuestionsBuilder, *, line: int, field: str) -> Item | None:
    if not isinstance(entry, dict) or "any_of" not in entry:
        piece = _piece(entry, builder, known=_ITEM_FIELDS, line=line, field=field)
        grade = _grade(entry, builder.faults, line=line, field=field)
        return None if piece is None or grade is None else Item((piece,), grade)
    grade = _grade(entry, builder.faults, line=line, field=field)
    builder.extras.see(entry, known=("any_of", "grade"), line=line, field=f"{field}.")
    options = entry["any_of"]
    if not isinstance(options, list) or not options:
        expected = "a list of alternatives"
        builder.faults.add(expected=expected, value=options, line=line, field=f"{field}.any_of")
        return None
    pieces = [
        _piece(option, builder, known=_ITEM_FIELDS[:-1], line=line, field=f"{field}.any_of[{at}]")
        for at, option in enumerate(options)
    ]
    if grade is None or None in pieces:
        return None
    return Item(tuple(piece for piece in pieces if piece is not None), grade)


def _grade(entry: Any, faults: Faults, *, line: int, field: str) -> float | None:
    if not isinstance(entry, dict) or "grade" not in entry:
        return 1.0
    grade = number_of(entry["grade"])
    if grade is None:
        value = entry["grade"]
        faults.add(expected="a number", value=value, line=line, field=f"{field}.grade")
    return grade


def _piece(
    entry: Any, builder: QuestionsBuilder, *, known: tuple[str, ...], line: int, field: str
) -> Piece | None:
    faults = builder.faults
    if isinstance(entry, str):
        entry = {"text": entry}
    if not isinstance(entry, dict) or not {"id", "text", "doc"} & set(entry):
        faults.add(expected=_EXPECTED, value=entry, line=line, field=field)
        return None
    builder.extras.see(entry, known=known, line=line, field=f"{field}.")
    values = Values(entry, faults, line=line, field=f"{field}.")
    piece = Piece(
        values.id("id"),
        values.filled_text("text"),
        values.optional_id("doc"),
        *values.span(filled=True),
    )
    if piece.start is not None and piece.doc is None:
        faults.add(expected="the document of the offsets", value=None, line=line,
                   field=f"{field}.doc")  # fmt: skip
    if piece.doc and piece.id is None and piece.text is None and piece.start is None:
        faults.add(expected='"start" and "end", or "text"', value=None, line=line, field=field)
    return piece


def read_run(source: Source, name: str | None) -> Run:
    """Read a run. Errors: `InputError` with the line and field of every fault."""
    builder = RunBuilder(source)
    records = list(_records(source, builder.faults, "run"))
    whole = plain_places([record for _, record in records])
    for line, record in records:
        builder.extras.see(record, known=_RUN_FIELDS, line=line)
        retrieved = record.get("retrieved")
        places: list[Place] = []
        if whole is not None:
            pass
        elif isinstance(retrieved, list):
            for at, entry in enumerate(retrieved):
                place = _place(entry, builder, line=line, field=f"retrieved[{at}]")
                places += [] if place is None else [place]
        else:
            builder.faults.add(expected="a list", value=retrieved, line=line, field="retrieved")
        has_answer = ANSWER in record or ABSTAINED in record
        builder.add(
            record.get("id"), places, line=line, answer=record.get("answer"),
            abstained=record.get("abstained"), has_answer=has_answer,
        )  # fmt: skip
    return builder.build(name=name, places=whole)


def _place(entry: Any, builder: RunBuilder, *, line: int, field: str) -> Place | None:
    if not isinstance(entry, dict) or not ("id" in entry or "text" in entry):
        # A bare text could be an id or the chunk's text, so it is not guessed at.
        expected = 'an object with "id" or "text"'
        builder.faults.add(expected=expected, value=entry, line=line, field=field)
        return None
    builder.extras.see(entry, known=_PLACE_FIELDS, line=line, field=f"{field}.")
    values = Values(entry, builder.faults, line=line, field=f"{field}.")
    return Place(
        values.id("id"), values.number("score"), values.text("text"),
        values.optional_id("doc"), *values.span(), values.count("tokens"),
    )  # fmt: skip


def read_chunks(source: Source) -> pl.DataFrame:
    """Read chunks. Errors: `InputError` with the line and field of every fault."""
    faults = Faults(source.name)
    extras = Extras(faults)
    rows: list[tuple[Any, ...]] = []
    lines: dict[str, int] = {}
    for line, record in _records(source, faults, "chunks"):
        extras.see(record, known=_CHUNK_FIELDS, line=line)
        values = Values(record, faults, line=line)
        key, text = id_of(record.get("id")), values.text("text")
        if key is None:
            faults.add(expected="an id", value=record.get("id"), line=line, field="id")
        elif key in lines:
            found = Words(f"{key!r} again, as in line {lines[key]}")
            faults.add(expected="an id of its own", value=found, line=line, field="id")
        else:
            lines[key] = line
        doc, (start, end) = values.optional_id("doc"), values.span()
        if record.get("text") is None and (doc is None or start is None):
            wanted = "a text, or doc with start and end"
            faults.add(expected=wanted, value=None, line=line, field="text")
        rows.append((key, text, doc, start, end, values.count("tokens")))
    faults.check()
    return chunks_frame(rows)


def _number(value: float) -> float | int:
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _present(row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {ours: row[name] for ours, name in names.items() if row.get(name) is not None}


def _write(records: Iterable[Mapping[str, Any]], path: StrPath) -> None:
    with atomic_write(path) as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False))
            file.write("\n")


def write_questions(questions: Questions, path: StrPath) -> Losses:
    """Write questions; nothing is lost."""
    expected: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for row in match_ids(questions.judgments).iter_rows(named=True):
        expected.setdefault(row[QUERY], {}).setdefault(row[ITEM], []).append(row)
    _write(
        (
            _question(row, list(expected.get(row[QUERY], {}).values()))
            for row in questions.queries.iter_rows(named=True)
        ),
        path,
    )
    return ()


def _question(row: Mapping[str, Any], items: list[list[dict[str, Any]]]) -> dict[str, Any]:
    record: dict[str, Any] = {"id": row[QUERY], **_present(row, {"question": QUESTION})}
    record["expected"] = [_expected(rows) for rows in items]
    tags = {
        name.removeprefix(TAG_PREFIX): value
        for name, value in row.items()
        if name.startswith(TAG_PREFIX) and value is not None
    }
    return {**record, "tags": tags} if tags else record


def _expected(rows: list[dict[str, Any]]) -> Any:
    names = {"id": CHUNK, "text": TEXT, "doc": DOC, "start": START, "end": END}
    pieces = [_present(row, names) for row in rows]
    grade = {} if rows[0][GRADE] == 1 else {"grade": _number(rows[0][GRADE])}
    if len(pieces) > 1:
        return {"any_of": [_plain(piece) for piece in pieces], **grade}
    return _plain({**pieces[0], **grade})


def _plain(piece: dict[str, Any]) -> Any:
    return piece["text"] if list(piece) == ["text"] else piece


def write_run(run: Run, path: StrPath) -> Losses:
    """Write a run in its ranked order; nothing but the name of the run is lost."""
    names = {
        "id": CHUNK, "text": TEXT, "score": SCORE, "doc": DOC, "start": START, "end": END,
        "tokens": TOKENS,
    }  # fmt: skip
    lists: dict[str, list[dict[str, Any]]] = {}
    answers: dict[str, dict[str, Any]] = {}
    if run.answers is not None:
        for row in run.answers.iter_rows(named=True):
            lists[row[QUERY]] = []
            answers[row[QUERY]] = _present(row, {"answer": ANSWER, "abstained": ABSTAINED})
    for row in in_order(run.retrieved).iter_rows(named=True):
        lists.setdefault(row[QUERY], []).append(_present(row, names))
    _write(
        ({"id": key, "retrieved": places, **answers.get(key, {})} for key, places in lists.items()),
        path,
    )
    return ()


def write_chunks(chunks: pl.DataFrame, path: StrPath) -> Losses:
    """Write chunks; nothing is lost."""
    names = {"id": CHUNK, "text": TEXT, "doc": DOC, "start": START, "end": END, "tokens": TOKENS}
    _write((_present(row, names) for row in chunks.iter_rows(named=True)), path)
    return ()


FORMAT = Format(
    name="jsonl",
    description="tophit's own questions, runs and chunks, one JSON object a line",
    recognise=recognise,
    ambiguous=True,
    read_questions=read_questions,
    read_run=read_run,
    read_chunks=read_chunks,
    question_lines=lines_of_records,
    write_questions=write_questions,
    write_run=write_run,
    write_chunks=write_chunks,
)
