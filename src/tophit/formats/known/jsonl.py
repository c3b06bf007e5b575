"""`jsonl`: tophit's own questions, runs and chunks, one JSON object a line.

    questions  {"id": "q1", "question": "...", "expected": [...], "tags": {"topic": "billing"}}
    runs       {"id": "q1", "retrieved": [{"id": "c7", ...}], "answer": "...", "abstained": false,
                "stages": {"bm25": [...], "dense": [...]}, "latency_ms": 12.5}
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
from tophit.formats.reading.files import Source, StrPath, atomic_write
from tophit.formats.reading.lines import lines_of_records
from tophit.formats.reading.sniff import sample
from tophit.formats.writing.losses import in_order, match_ids
from tophit.records.build import QuestionsBuilder, RunBuilder
from tophit.records.chunks import chunks_from_records
from tophit.records.made import is_made, question_id
from tophit.records.stages import stages_written
from tophit.records.values import Faults
from tophit.records.vocabulary import PLACES, QUESTIONS, RUNS
from tophit.relations import (
    ABSTAINED,
    ANSWER,
    CHUNK,
    DOC,
    END,
    EXPECTED,
    EXPECTED_IDS,
    FILTER,
    GRADE,
    HISTORY,
    ITEM,
    LATENCY,
    QUERY,
    QUESTION,
    RETRIEVED_IDS,
    RETRIEVED_LIST,
    SCORE,
    STAGES_LIST,
    START,
    TAG_PREFIX,
    TEXT,
    TOKENS,
    Questions,
    Run,
)

_ANSWERS = (ANSWER, ABSTAINED)
_PLACE = {
    "id": CHUNK, "text": TEXT, "score": SCORE, "doc": DOC, "start": START, "end": END,
    "tokens": TOKENS,
}  # fmt: skip
_WRAPPERS: Mapping[Role, tuple[str, ...]] = {
    "questions": ("questions", "queries", "cases"),
    "run": ("run", "runs"),
    "chunks": ("chunks", "documents"),
}


def recognise(source: Source) -> frozenset[Role]:
    """Own records: by the field that only one role has, under any of its names."""
    seen = sample(source)
    if seen.kind != "json":
        return roles()
    if isinstance(seen.first, Mapping):
        held = [role for role in _WRAPPERS if _wrapped(seen.first, role) is not None]
        if held and not seen.has_any(*_NAMES_ALONE):
            return roles(*held)
    fields = dict.fromkeys(seen.fields, True)
    question, run, place = (kind.keys(fields) for kind in (QUESTIONS, RUNS, PLACES))
    is_asked = QUERY in question or QUESTION in question
    if seen.has("retrieved") or (is_asked and not {RETRIEVED_LIST, RETRIEVED_IDS}.isdisjoint(run)):
        return roles("run")
    if seen.has("expected") or (is_asked and not {EXPECTED, EXPECTED_IDS}.isdisjoint(question)):
        return roles("questions")
    if QUESTION in question and QUERY in question:
        return roles("questions")
    if TEXT in place or {CHUNK, DOC, START, END} <= set(place):
        return roles("chunks")
    is_empty_array = seen.first is None and jsontext.document(source) == []
    return roles("questions", "run", "chunks") if is_empty_array else roles()


# Where these stand, the record is one of them and wraps none.
_NAMES_ALONE = ("expected", "retrieved", "question", "query")


def _wrapped(record: Mapping[str, Any], role: Role) -> list[Any] | None:
    """The records that an object holds under a name of their role."""
    return next((v for n in _WRAPPERS[role] if isinstance(v := record.get(n), list)), None)


def _records(source: Source, faults: Faults, role: Role) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, value in jsontext.records(source):
        wrapped = None
        if isinstance(value, dict) and set(value).isdisjoint(_NAMES_ALONE):
            wrapped = _wrapped(value, role)
        for record in [value] if wrapped is None else wrapped:
            if isinstance(record, dict):
                yield getattr(record, "line", line), record
            else:
                faults.add(expected="a JSON object", value=record, line=line)


def read_questions(source: Source) -> Questions:
    """Read questions. Errors: `InputError` with the line and field of every fault."""
    builder = QuestionsBuilder(source)
    for line, record in _records(source, builder.faults, "questions"):
        builder.add_record(record, line=line)
    return builder.build()


def read_run(source: Source, name: str | None) -> Run:
    """Read a run. Errors: `InputError` with the line and field of every fault."""
    builder = RunBuilder(source)
    builder.add_records(_records(source, builder.faults, "run"))
    return builder.build(name=name)


def read_chunks(source: Source) -> pl.DataFrame:
    """Read chunks. Errors: `InputError` with the line and field of every fault."""
    faults = Faults(source.name)
    return chunks_from_records(_records(source, faults, "chunks"), faults)


def _number(value: float) -> float | int:
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _present(row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {ours: row[name] for ours, name in names.items() if row.get(name) is not None}


def _write(records: Iterable[Mapping[str, Any]], path: StrPath) -> None:
    with atomic_write(path) as file:
        is_empty = True
        for record in records:
            is_empty = False
            file.write(json.dumps(record, ensure_ascii=False))
            file.write("\n")
        if is_empty:
            file.write("[]\n")  # a file of zero bytes could be one that was cut off


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
    record = _named(row[QUERY], row.get(QUESTION))
    record["expected"] = [_expected(rows) for rows in items]
    for name in (HISTORY, FILTER):
        if row.get(name) is not None:
            record[name] = json.loads(row[name])
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
    lists: dict[str, list[dict[str, Any]]] = {}
    said: dict[str, dict[str, Any]] = {}
    beside = ((run.queries, (QUESTION,)), (run.answers, _ANSWERS), (run.latency, (LATENCY,)))
    for frame, fields in beside:
        for row in () if frame is None else frame.iter_rows(named=True):
            lists.setdefault(row[QUERY], [])
            said.setdefault(row[QUERY], {}).update(_present(row, {name: name for name in fields}))
    for row in in_order(run.retrieved).iter_rows(named=True):
        place = _present(row, _PLACE)
        if TEXT in place and is_made(row[CHUNK]):
            del place["id"]
        lists.setdefault(row[QUERY], []).append(place)
    if run.stages is not None:
        for key, stages in stages_written(run.stages, run.retrieved, _PLACE).items():
            said.setdefault(key, {})[STAGES_LIST] = stages
    _write((_ranked(key, places, said.get(key, {})) for key, places in lists.items()), path)
    return ()


def _ranked(key: str, places: list[dict[str, Any]], said: Mapping[str, Any]) -> dict[str, Any]:
    answered = {name: value for name, value in said.items() if name != QUESTION}
    return {**_named(key, said.get(QUESTION)), "retrieved": places, **answered}


def _named(key: str, question: str | None) -> dict[str, Any]:
    """The id and the question; an id that the question alone makes again is left out."""
    asked = {} if question is None else {QUESTION: question}
    is_again = question is not None and is_made(key) and question_id(question) == key
    return asked if is_again else {"id": key, **asked}


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
