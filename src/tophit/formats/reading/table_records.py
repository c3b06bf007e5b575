"""Rows of a table as the records that JSON lines would be: cells that hold lists, a text a row.

The rows of one question are one record: each row names something that it expects, or a list of
such. Columns beside it (`grade`, `doc_id`, `start`, `end`) belong to what the row names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tophit.formats.reading.files import Source
from tophit.formats.reading.rows import Row, rows
from tophit.records.build import QuestionsBuilder, RunBuilder
from tophit.records.cells import listed, unwrapped
from tophit.records.questions import Question, question_from
from tophit.records.values import Description, Faults, count_of, id_of, number_of
from tophit.relations import (
    ABSTAINED,
    ANSWER,
    CHUNK,
    DOC,
    END,
    EXPECTED,
    EXPECTED_IDS,
    GRADE,
    ITEM,
    QUERY,
    QUESTION,
    RETRIEVED_IDS,
    RETRIEVED_LIST,
    START,
    TAG_PREFIX,
    TEXT,
    Questions,
    Run,
)

_JOINED = (",", ";", "|", "\n")
_LIST = 'a list as JSON: ["...", "..."]'
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
Names = Mapping[str, str]  # which column holds which field


def read_questions(source: Source, names: Names) -> Questions:
    """Read the questions of a table. Errors: `InputError` with all faults."""
    builder = QuestionsBuilder(source)
    merged: dict[Any, tuple[int | None, Question]] = {}
    for row in rows(source):
        found = _question(row, names, builder.faults)
        key: Any = id_of(found.id)
        if key is None:
            key = len(merged) if found.question is None else (found.question,)
        if key in merged:
            line, before = merged[key]
            _compare(before, found, builder.faults, row.line)
            merged[key] = line, replace(before, items=(*before.items, *found.items))
        else:
            merged[key] = row.line, found
    for line, found in merged.values():
        builder.add(
            found.id, found.items, question=found.question, tags=found.tags, line=line,
            field=names.get(QUERY, "id"),
        )  # fmt: skip
    return builder.build()


def _question(row: Row, names: Names, faults: Faults) -> Question:
    tags = {
        name.removeprefix(TAG_PREFIX): value
        for name, value in row.values.items()
        if name.startswith(TAG_PREFIX) and value is not None
    }
    held = row.values.get("tags")
    if isinstance(held, str) and held.lstrip().startswith("{"):
        tags |= _object(held)
    record = {
        "id": row.values.get(names.get(QUERY, "")),
        QUESTION: row.values.get(names.get(QUESTION, "")),
        EXPECTED: _expected(row, names, faults),
        "tags": tags,
    }
    of_row = Faults(faults.file)
    found = question_from(record, of_row, line=row.line)
    faults.found += [replace(fault, field=_column(fault.field, names)) for fault in of_row.found]
    return found


def _column(field: str | None, names: Names) -> str | None:
    """What the table calls a field of the record that its row was made into."""
    last = (field or "").rpartition(".")[2]
    return names.get({"doc": DOC, "text": TEXT, "id": ITEM}.get(last, last), field)


def _object(cell: str) -> dict[str, Any]:
    try:
        found = json.loads(cell)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _compare(before: Question, found: Question, faults: Faults, line: int | None) -> None:
    if before.question and found.question and before.question != found.question:
        expected = f"one question for the id {found.id!r}, {before.question!r}"
        faults.add(expected=expected, value=found.question, line=line, field=QUESTION)


def _expected(row: Row, names: Names, faults: Faults) -> list[Any]:
    """What one row expects: the entries of its list, or its one text, id or place."""
    texts = _entries(row, names.get(EXPECTED, names.get(TEXT)), faults)
    # Ids of their own list are no ids of the texts: they count where there are no texts.
    keys = names.get(EXPECTED_IDS) if not texts else names.get(ITEM, names.get(CHUNK))
    ids = _entries(row, keys or names.get(ITEM, names.get(CHUNK)), faults, ids=True)
    if texts and ids and len(texts) != len(ids):
        found = Description(f"{len(texts)} texts and {len(ids)} ids")
        faults.add(expected="as many ids as texts", value=found, line=row.line)
    count = max(len(texts), len(ids))
    more = _beside(row, names, faults, is_one=count < 2)
    if not count:
        return [more] if START in more else []
    return [_entry(texts[at : at + 1], ids[at : at + 1], more) for at in range(count)]


def _entry(text: list[Any], key: list[Any], more: Mapping[str, Any]) -> dict[str, Any]:
    entry = {**more, **({"id": key[0]} if key else {})}
    if text and isinstance(text[0], Mapping):
        return {**entry, **text[0]}
    return {**entry, "text": text[0]} if text else entry


def _entries(row: Row, name: str | None, faults: Faults, *, ids: bool = False) -> list[Any]:
    value = None if name is None else row.values[name]
    if name is None or value is None or (isinstance(value, str) and not value.strip()):
        return []
    found = listed(value, faults, line=row.line, field=name, words=ids)
    if found is not None:
        return unwrapped(found)
    if ids and isinstance(value, str) and any(mark in value for mark in _JOINED):
        faults.add(expected=f"one id a row, or {_LIST}", value=value, line=row.line, field=name)
    return [value]


def _beside(row: Row, names: Names, faults: Faults, *, is_one: bool) -> dict[str, Any]:
    """Grade, document and offsets of a row; offsets belong to one element only."""
    found: dict[str, Any] = {}
    kinds = {GRADE: (number_of, "a number"), START: (count_of, "a whole number from 0")}
    for field in (GRADE, DOC, *((START, END) if is_one else ())):
        name = names.get(field)
        value = None if name is None else row.values[name]
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        if field == DOC:
            found["doc"] = value
            continue
        number, expected = kinds.get(field, kinds[START])
        if (made := number(_number(value))) is None:
            faults.add(expected=expected, value=value, line=row.line, field=name)
        else:
            found[field] = made
    return found


def _number(cell: Any) -> Any:
    """The number that a cell of text is, or the cell."""
    if isinstance(cell, bool):
        return int(cell)
    if not isinstance(cell, str):
        return cell
    try:
        return float(cell)
    except ValueError:
        return {"true": 1, "false": 0}.get(cell.strip().lower(), cell)


def read_run(source: Source, names: Names, name: str | None) -> Run:
    """Read the ranked lists of a table, a row a query. Errors: `InputError` with all faults."""
    builder = RunBuilder(source)
    builder.add_records([(row.line, _ranked(row, names, builder.faults)) for row in rows(source)])
    return builder.build(name=name)


def _ranked(row: Row, names: Names, faults: Faults) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for field in (QUERY, QUESTION, ANSWER, ABSTAINED, RETRIEVED_LIST, RETRIEVED_IDS):
        name = names.get(field)
        value = None if name is None else row.values[name]
        if name is None:
            continue
        if field in (RETRIEVED_LIST, RETRIEVED_IDS):
            value = _places(row, name, faults, ids=field == RETRIEVED_IDS)
        elif field == ABSTAINED and isinstance(value, str):
            value = _TRUTHS.get(value.strip().lower(), value)
        # Whether a bare string is a text shows in what its column is called, so that stays.
        is_list = field in (RETRIEVED_LIST, RETRIEVED_IDS)
        record[name if is_list else {QUERY: "id"}.get(field, field)] = value
    return record


def _places(row: Row, name: str, faults: Faults, *, ids: bool) -> list[Any]:
    value = row.values[name]
    found = listed(value, faults, line=row.line, field=name, words=ids, ordered=True)
    if found is None:
        expected = f"{_LIST}, or a place a row beside a column rank or score"
        faults.add(expected=expected, value=value, line=row.line, field=name)
        return []
    return unwrapped(found)
