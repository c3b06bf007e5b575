"""`json-dict`: `{"q1": {"d1": 1}}`, as pytrec_eval and ranx take it, and `{"q1": ["d1", "d2"]}`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from tophit.formats.definition import Format, Losses, Role, roles
from tophit.formats.reading import jsontext
from tophit.formats.reading.files import Source, StrPath, atomic_write
from tophit.formats.reading.sniff import sample
from tophit.formats.writing.losses import (
    in_order,
    only_ids,
    ranked,
    run_losses,
    silent_queries,
)
from tophit.records.build import QuestionsBuilder
from tophit.records.questions import Alternative, Item
from tophit.records.values import Description, Faults, id_of, number_of
from tophit.relations import (
    CHUNK,
    QUERIES,
    QUERY,
    RANK,
    RETRIEVED,
    SCORE,
    Questions,
    Run,
    schema,
)

_LOOKED_AT = 20


def recognise(source: Source) -> frozenset[Role]:
    """One object whose values are all objects of numbers or lists of ids."""
    if sample(source).kind != "json":
        return roles()
    whole = jsontext.document(source)
    if not isinstance(whole, dict):
        return roles()
    values = list(whole.values())[:_LOOKED_AT]
    fits = all(_is_scores(value) or _is_ids(value) for value in values)
    return roles("questions", "run") if fits else roles()


def _is_scores(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return all(not isinstance(score, dict | list) for score in list(value.values())[:_LOOKED_AT])


def _is_ids(value: Any) -> bool:
    return isinstance(value, list) and all(
        not isinstance(entry, dict | list) for entry in value[:_LOOKED_AT]
    )


def _whole(source: Source) -> Mapping[str, Any]:
    values = jsontext.records(source)
    whole = values[0].value if len(values) == 1 else None
    if not isinstance(whole, dict):
        raise source.error('one object, {"query": {"id": number}}', "another JSON value")
    return whole


def read_questions(source: Source) -> Questions:
    """Read judgments: `{query: {id: grade}}` or `{query: [ids]}`; an empty one is unanswerable.

    Errors: `InputError` with every grade that is no number and every id that is none.
    """
    builder = QuestionsBuilder(source)
    for query, value in _whole(source).items():
        items = []
        for key, grade in _entries(value, builder.faults, query):
            items.append(Item((Alternative(id=key),), 1.0 if grade is None else grade))
        builder.add(query, items, field=f"{query!r}")
    return builder.build()


def read_run(source: Source, name: str | None) -> Run:
    """Read a run: `score` of a dict, `rank` of a list.

    Errors: `InputError` with every score that is no number, every id that is none, and for a
    file that mixes the two.
    """
    faults = Faults(source.name)
    rows: list[tuple[str, str, int, float | None]] = []
    kinds: set[type] = set()
    asked: list[str] = []
    for given, value in _whole(source).items():
        if (query := id_of(given)) is None:
            faults.add(expected="an id", value=given, field="query")
            continue
        asked.append(query)
        entries = _entries(value, faults, query)
        kinds |= {type(value)} if entries else set()
        rows += [(query, key, at, score) for at, (key, score) in enumerate(entries, start=1)]
    if len(kinds) > 1:
        found = Description("both in one file")
        faults.add(expected="scores for all queries, or lists for all", value=found)
    faults.check()
    kept = [QUERY, CHUNK, RANK if kinds == {list} else SCORE]
    made = pl.DataFrame(
        rows, schema=schema(RETRIEVED, only=[QUERY, CHUNK, RANK, SCORE]), orient="row"
    )
    return Run(
        retrieved=made.select(kept),
        name=name or source.stem,
        queries=pl.DataFrame({QUERY: asked}, schema=schema(QUERIES, only=[QUERY])),
        source=source.name,
    )


def _entries(value: Any, faults: Faults, query: str) -> list[tuple[str, float | None]]:
    found: list[tuple[str, float | None]] = []
    if not isinstance(value, dict | list):
        expected = "an object of ids and numbers, or a list of ids"
        faults.add(expected=expected, value=value, field=repr(query))
        return found
    pairs = value.items() if isinstance(value, dict) else ((entry, None) for entry in value)
    for entry, given in pairs:
        key, number = id_of(entry), None
        field = f"{query!r}: {entry!r}"
        if key is None:
            faults.add(expected="an id", value=entry, field=repr(query))
            continue
        if isinstance(value, dict):
            number = number_of(given)
            if number is None:
                faults.add(expected="a number", value=given, field=field)
        found.append((key, number))
    return found


def write_questions(questions: Questions, path: StrPath) -> Losses:
    """Write `{query: {id: grade}}`; an unanswerable question has an empty object."""
    held = only_ids(questions, format="json-dict", holds_unanswerable=True)
    whole: dict[str, dict[str, float]] = {query: {} for query in held.queries}
    for query, item, grade in held.rows.iter_rows():
        whole[query][item] = int(grade) if grade.is_integer() else grade
    _dump(whole, path)
    return held.lost


def write_run(run: Run, path: StrPath) -> Losses:
    """Write `{query: {id: score}}` where the scores give the order, else `{query: [ids]}`."""
    places, replaced = ranked(run)
    twice = places.select(QUERY, CHUNK).is_duplicated().any()
    silent = silent_queries(run)
    if SCORE in run.retrieved.columns and not replaced and not twice:
        scores: dict[str, dict[str, float]] = {query: {} for query in silent}
        for query, chunk, score in places.select(QUERY, CHUNK, SCORE).iter_rows():
            scores.setdefault(query, {})[chunk] = score
        _dump(scores, path)
        return run_losses(run, kept=(QUERY, CHUNK, RANK, SCORE), format="json-dict", silent=True)
    lists: dict[str, list[str]] = {query: [] for query in silent}
    for query, chunk in in_order(run.retrieved).select(QUERY, CHUNK).iter_rows():
        lists.setdefault(query, []).append(chunk)
    _dump(lists, path)
    return run_losses(run, kept=(QUERY, CHUNK, RANK), format="json-dict", silent=True)


def _dump(whole: Mapping[str, Any], path: StrPath) -> None:
    with atomic_write(path) as file:
        json.dump(whole, file, ensure_ascii=False)
        file.write("\n")


FORMAT = Format(
    name="json-dict",
    description='{"query": {"id": number}} or {"query": ["id"]}, as pytrec_eval and ranx take it',
    recognise=recognise,
    ambiguous=True,
    read_questions=read_questions,
    read_run=read_run,
    write_questions=write_questions,
    write_run=write_run,
)
