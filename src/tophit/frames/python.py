"""Dicts, lists of records, named tuples, and `Retrieval`, as questions and runs."""

from __future__ import annotations

import numbers
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from itertools import chain
from types import NoneType
from typing import Any

import polars as pl

from tophit.errors import Fault, InputError, UsageError
from tophit.frames.ids import MISSING_NAMES, text_id, text_ids
from tophit.records.build import Given, QuestionsBuilder, RunBuilder, frame
from tophit.records.lists import ranked_list
from tophit.records.made import look_like_texts
from tophit.records.objects import record_of
from tophit.records.places import place_from
from tophit.records.plain_places import plain_places
from tophit.records.questions import items_from
from tophit.records.values import Description, Faults
from tophit.records.vocabulary import ITEMS, QUESTIONS, RUNS, plain
from tophit.relations import (
    CHUNK,
    DOC,
    EXPECTED,
    EXPECTED_IDS,
    GRADE,
    ITEM,
    QUERY,
    QUESTION,
    RANK,
    RETRIEVED,
    RETRIEVED_IDS,
    RETRIEVED_LIST,
    SCORE,
    START,
    SYNONYMS,
    TEXT,
    Questions,
    Run,
)

ID_NAMES = {name for key in (QUERY, ITEM, CHUNK, DOC) for name in (key, *SYNONYMS[key])}
_GRADES = "a list of items, or {id: grade}"


def questions_from_objects(questions: Any) -> Questions | None:
    """The questions of a dict or a list of records; None for anything else, such as rows.

    A dict is `{query: {id: grade}}`, `{query: [ids or items]}` or `{query: record}`. A record has
    the fields of the files (`question`, `expected`, ...), by any of their names.

    Errors: `InputError` for a grade that is no number, for items that are none.

    >>> found = questions_from_objects({"q1": {"d1": 1}, "q2": []})
    >>> len(found.queries), found.judgments.rows()
    (2, [('q1', 'd1', 1.0)])
    >>> questions_from_objects([{"question": "Which fees?", "expected": "late fees"}]).judgments
    ... # doctest: +ELLIPSIS
    shape: (1, 5)...
    """
    if isinstance(questions, Mapping):
        if _is_record(questions, QUESTIONS.keys(questions), (EXPECTED, EXPECTED_IDS)):
            questions = [questions]
        elif any(_holds_records(judged) for judged in questions.values()):
            return _questions_of_items(questions)
        else:
            return _questions_of_ids(questions)
    records = _records(questions)
    if records is None or not any(_asks(record) for record in records):
        return None
    builder = QuestionsBuilder(Given("questions"))
    for record in records:
        builder.add_record(record)
    return builder.build()


def _is_record(record: Mapping[Any, Any], keys: Mapping[str, Any], lists: Sequence[str]) -> bool:
    """One record, not a dict by query: it names its question in a text."""
    named = [record[keys[name]] for name in (QUESTION, QUERY) if name in keys]
    return any(name in keys for name in lists) and any(isinstance(name, str) for name in named)


def _holds_records(judged: Any) -> bool:
    if isinstance(judged, Mapping):
        return not ITEMS.keys(judged).keys().isdisjoint({TEXT}) or not QUESTIONS.keys(
            judged
        ).keys().isdisjoint({EXPECTED, EXPECTED_IDS})
    if isinstance(judged, str) or not isinstance(judged, Iterable):
        return False
    return any(record_of(entry) is not None for entry in judged)


def _asks(record: Any) -> bool:
    """Whether a record is a question, and not a row of judgments."""
    fields = record_of(record)
    if fields is None:
        return False
    keys = QUESTIONS.keys(fields)
    if EXPECTED in keys or EXPECTED_IDS in keys:
        return True
    is_row = not ITEMS.keys(fields).keys().isdisjoint({ITEM, TEXT, DOC, START})
    return QUESTION in keys and not is_row


def _questions_of_items(questions: Mapping[Any, Any]) -> Questions:
    builder = QuestionsBuilder(Given("questions"))
    queries = _query_ids(questions, "questions")
    bare = [e for judged in questions.values() for e in judged or () if isinstance(e, str)]
    as_id = not look_like_texts(bare)
    for query, judged in zip(queries, questions.values(), strict=True):
        fields = record_of(judged) or {}
        if not QUESTIONS.keys(fields).keys().isdisjoint({EXPECTED, EXPECTED_IDS}):
            builder.add_record({**fields, QUERY: query})
            continue
        items = items_from(judged, builder.faults, field=f"query {query!r}", as_id=as_id)
        builder.add(query, items, field="query")
    return builder.build()


def _questions_of_ids(questions: Mapping[Any, Any]) -> Questions:
    items: list[Any] = []
    grades: list[Any] = []
    sizes: list[int] = []
    for query, judged in questions.items():
        ids = _items_of(judged, query)
        items += ids
        grades += judged.values() if isinstance(judged, Mapping) else [1.0] * len(ids)
        sizes.append(len(ids))
    queries = _query_ids(questions, "questions")
    owners = _repeated(queries, sizes)
    judgments = {QUERY: owners, ITEM: text_ids(items), GRADE: _numbers(grades, owners, GRADE)}
    return Questions(queries=pl.DataFrame({QUERY: queries}), judgments=pl.DataFrame(judgments))


def _items_of(judged: Any, query: Any) -> list[Any]:
    if isinstance(judged, str | bytes) or not isinstance(judged, Iterable):
        fault = Fault(field=f"query {query!r}", expected=_GRADES, found=repr(judged)[:80])
        raise InputError(fault)
    return list(judged)


def run_from_objects(run: Any) -> Run | None:
    """The run of a dict or a list of records; None for anything else, such as rows.

    A dict is `{query: {id: score}}` (scores decide), `{query: [ids, texts or records]}` or
    `{query: record}`. A record has the fields of the files (`question`, `retrieved`, ...).

    Errors: `InputError` for scores and lists in one run, for a score that is no number, for a set,
    which has no order.

    >>> run_from_objects({"q1": ["d2", "d1"]}).retrieved.rows()
    [('q1', 'd2', 1), ('q1', 'd1', 2)]
    """
    lists = (RETRIEVED_LIST, RETRIEVED_IDS)
    if isinstance(run, Mapping):
        if _is_record(run, RUNS.keys(run), lists):
            run = [run]
        elif any(_retrieves(found) for found in run.values()):
            queries = _query_ids(run, "run")
            found = zip(queries, run.values(), strict=True)
            run = [{**(record_of(record) or {}), QUERY: query} for query, record in found]
        else:
            return _run_of_dict(run)
    records = _records(run)
    if records is None or not any(_retrieves(record) for record in records):
        return None
    builder = RunBuilder(Given("run"))
    builder.add_records((None, record) for record in records)
    return builder.build()


def _retrieves(record: Any) -> bool:
    """Whether a record is the list of a query, and not one place of it."""
    fields = None if isinstance(record, str | list | tuple) else record_of(record)
    if fields is None:
        return False
    keys = RUNS.keys(fields)
    is_asked = QUERY in keys or QUESTION in keys
    return (
        (is_asked and RETRIEVED_LIST in keys)
        or RETRIEVED_LIST in fields
        or (is_asked and RETRIEVED_IDS in keys)
    )


def _run_of_dict(run: Mapping[Any, Any]) -> Run:
    faults = Faults("run")
    scores = {query: found for query, found in run.items() if _is_scores(found)}
    lists = {
        query: list(found) if query in scores else ranked_list(found, faults, field=_at(query))
        for query, found in run.items()
    }
    filled = [query for query, found in lists.items() if found]
    if 0 < sum(query in scores for query in filled) < len(filled):
        expected = "all queries as {id: score}, or all as lists"
        faults.add(expected=expected, value=Description("both kinds"))
    faults.check()
    queries = _query_ids(run, "run")
    owners = _repeated(queries, [len(found) for found in lists.values()])
    if filled and filled[0] in scores:
        values = list(chain.from_iterable(found.values() for found in scores.values()))
        ids = text_ids(chain.from_iterable(lists.values()))
        columns = {QUERY: owners, CHUNK: ids, SCORE: _numbers(values, owners, SCORE)}
        places = pl.DataFrame(columns)
    else:
        places = _ranked_lists(lists, owners)
    return Run(retrieved=places, queries=pl.DataFrame({QUERY: queries}))


def _is_scores(found: Any) -> bool:
    """`{id: score}`, and not the return of a pipeline."""
    return isinstance(found, Mapping) and not any(
        isinstance(value, list | tuple | Mapping) for value in found.values()
    )


def _at(query: Any) -> str:
    return f"query {query!r}"


def _ranked_lists(lists: Mapping[Any, Sequence[Any]], owners: pl.Series) -> pl.DataFrame:
    kinds = set(map(type, chain.from_iterable(lists.values())))
    if not any(_may_be_record(kind) for kind in kinds):
        ranks = chain.from_iterable(range(1, len(found) + 1) for found in lists.values())
        ids = text_ids(chain.from_iterable(lists.values()))
        return pl.DataFrame({QUERY: owners, CHUNK: ids, RANK: pl.Series(ranks, dtype=pl.Int64)})
    if (places := plain_places(list(lists.values()))) is not None:
        return places.select(owners.alias(QUERY), pl.all())
    faults = Faults("run")
    rows: list[tuple[Any, ...]] = []
    for query, found in lists.items():
        for at, entry in enumerate(found):
            place = place_from(entry, faults, field=f"{_at(query)}[{at}]")
            if place is not None:
                rows.append((text_id(query), place.id, at + 1, *place[1:]))
    faults.check()
    return frame(rows, RETRIEVED, always=(QUERY, CHUNK, RANK))


def _may_be_record(kind: type) -> bool:
    is_id = issubclass(kind, str | bytes | numbers.Number | uuid.UUID | NoneType)
    return not is_id and kind.__name__ not in MISSING_NAMES


def _records(source: Any) -> list[Any] | None:
    """The elements of a list, where each of them may be a record."""
    if isinstance(source, str | bytes | Mapping) or not isinstance(source, list | tuple):
        return None
    records = list(source)
    return records if records and all(record_of(record) is not None for record in records) else None


def _query_ids(queries: Iterable[Any], kind: str) -> pl.Series:
    given = list(queries)
    ids = text_ids(given)
    if (again := ids.is_duplicated() & ids.is_not_null()).any():
        first = ids.filter(again)[0]
        same = [repr(query) for query in given if text_id(query) == first]
        raise InputError(
            Fault(file=kind, expected="each query once", found=" and ".join(same) + " are one id")
        )
    return ids


def _repeated(queries: pl.Series, sizes: Sequence[int]) -> pl.Series:
    counts = pl.Series(sizes, dtype=pl.UInt32)
    return pl.select(
        pl.lit(queries).repeat_by(pl.lit(counts)).explode(empty_as_null=False)
    ).to_series()


def _numbers(values: Sequence[Any], owners: pl.Series, field: str) -> pl.Series:
    try:
        return pl.Series(values, dtype=pl.Float64, strict=True)
    except (TypeError, ValueError, OverflowError):
        faults: list[Fault] = []
        numbers = [
            number_of(value, faults, field=field, place=f"query {owners[row]!r}")
            for row, value in enumerate(values)
        ]
        if faults:
            raise InputError(faults) from None
        return pl.Series(numbers, dtype=pl.Float64)


def number_of(value: Any, faults: list[Fault], *, field: str, place: str) -> float | None:
    """A number of any kind as a double; adds to `faults` what is none. Text of a number is one.

    >>> number_of("1.5", [], field="score", place="query 'q'")
    1.5
    """
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        found = "nothing" if type(value).__name__ == "NAType" else repr(value)[:80]
        faults.append(Fault(field=f"{field} in {place}", expected="a number", found=found))
        return None


def frame_from_rows(source: Any, *, kind: str) -> pl.DataFrame:
    """Give a frame of named tuples (ir_measures' `Qrel`, `ScoredDoc`), dataclasses or dicts.

    Errors: `UsageError` for anything else, `InputError` for text with half a surrogate pair.

    >>> frame_from_rows([{"query_id": 1, "chunk_id": "a", "score": 0.5}], kind="run").rows()
    [('1', 'a', 0.5)]
    """
    is_list = isinstance(source, Iterable) and not isinstance(source, str | bytes)
    rows = [_fields(row) for row in source] if is_list else [None]
    if not all(isinstance(row, Mapping) for row in rows):
        raise UsageError(
            f"{kind}: expected a path, a data frame, a dict or a list of named tuples, "
            f"found {type(source).__name__}"
        )
    names = list(dict.fromkeys(name for row in rows if row for name in row))
    columns = {name: [row.get(name) for row in rows if row is not None] for name in names}
    typed = {
        name: text_ids(values) if plain(str(name)) in ID_NAMES else values
        for name, values in columns.items()
    }
    try:
        return pl.DataFrame(typed, strict=False)
    except UnicodeEncodeError as error:
        found = ascii(error.object)[:80]
        raise InputError(Fault(file=kind, expected="Unicode", found=found)) from None


def _fields(row: Any) -> Any:
    if hasattr(row, "_asdict"):
        return row._asdict()
    return asdict(row) if is_dataclass(row) and not isinstance(row, type) else row


@dataclass(frozen=True)
class Retrieval:
    """One question in its simplest form: the ids retrieved, best first, and the relevant ones.

    No relevant id: the question is unanswerable. `relevant_ids` may be a dict `{id: grade}`.

    >>> Retrieval(["d2", "d1"], ["d1"]).relevant_ids
    ['d1']
    """

    ranked_ids: Sequence[Any]
    relevant_ids: Iterable[Any] | Mapping[Any, float]


def retrievals_as_dicts(
    retrievals: Any,
) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """Give judgments and run, as dicts of lists under "1", "2", ..., of a list of `Retrieval`.

    Errors: `UsageError` for anything else, for ids in one string.

    >>> retrievals_as_dicts([Retrieval(["b"], ["a"])])
    ({'1': ['a']}, {'1': ['b']})
    """
    is_list = isinstance(retrievals, Iterable) and not isinstance(retrievals, str | bytes)
    listed = list(retrievals) if is_list else [retrievals]
    wrong = [entry for entry in listed if not isinstance(entry, Retrieval)]
    if wrong:
        raise UsageError(
            f"without a run, expected a list of tophit.Retrieval, found {type(wrong[0]).__name__}"
        )
    numbered = {str(n): entry for n, entry in enumerate(listed, 1)}
    faults = Faults("retrievals")
    runs = {
        n: ranked_list(entry.ranked_ids, faults, field=f"ranked_ids of {n}")
        for n, entry in numbered.items()
    }
    faults.check()
    return {n: _judged(entry.relevant_ids, n) for n, entry in numbered.items()}, runs


def _judged(relevant: Any, number: str) -> Any:
    return relevant if isinstance(relevant, Mapping) else _items_of(relevant, number)
