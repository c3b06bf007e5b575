"""Dicts, lists of named tuples or records, and `Retrieval`, as relations in Polars frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

import polars as pl

from tophit.errors import Fault, InputError, UsageError
from tophit.frames.ids import text_id, text_ids
from tophit.records.vocabulary import plain
from tophit.relations import (
    CHUNK,
    DOC,
    END,
    GRADE,
    ITEM,
    QUERY,
    RANK,
    RETRIEVED,
    SCORE,
    START,
    SYNONYMS,
    TEXT,
    TOKENS,
    schema,
)

_RECORD_KEYS = {CHUNK: "id", TEXT: TEXT, DOC: "doc", START: START, END: END, TOKENS: TOKENS}
ID_NAMES = {name for key in (QUERY, ITEM, CHUNK, DOC) for name in (key, *SYNONYMS[key])}


def questions_from_dict(questions: Mapping[Any, Any]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Give `queries` and `judgments` of `{query: {id: grade}}` or `{query: [ids]}`.

    Errors: `InputError` for a grade that is no number, for items that are neither.

    >>> queries, judgments = questions_from_dict({"q1": {"d1": 1}, "q2": []})
    >>> len(queries), judgments.rows()
    (2, [('q1', 'd1', 1.0)])
    """
    items: list[Any] = []
    grades: list[Any] = []
    sizes: list[int] = []
    for query, judged in questions.items():
        ids = _listed(judged, query, expected="a list of ids, or {id: grade}")
        items += ids
        grades += judged.values() if isinstance(judged, Mapping) else [1.0] * len(ids)
        sizes.append(len(ids))
    queries = _query_ids(questions, "questions")
    owners = _repeated(queries, sizes)
    judgments = {QUERY: owners, ITEM: text_ids(items), GRADE: _numbers(grades, owners, GRADE)}
    return pl.DataFrame({QUERY: queries}), pl.DataFrame(judgments)


def run_from_dict(run: Mapping[Any, Any]) -> pl.DataFrame:
    """Give `retrieved` of `{query: {id: score}}` (scores decide) or `{query: [ids or records]}`.

    Errors: `InputError` for both kinds in one run, for a score that is no number.

    >>> run_from_dict({"q1": ["d2", "d1"]}).rows()
    [('q1', 'd2', 1), ('q1', 'd1', 2)]
    """
    expected = "a list of ids or records, or {id: score}"
    places = {query: _listed(found, query, expected=expected) for query, found in run.items()}
    scored = {isinstance(run[query], Mapping) for query, found in places.items() if found}
    if len(scored) > 1:
        raise InputError(
            Fault(
                file="run",
                expected="all queries as {id: score}, or all as lists",
                found="both kinds",
            )
        )
    owners = _repeated(_query_ids(run, "run"), [len(found) for found in places.values()])
    if scored == {True}:
        scores = [score for found in run.values() if found for score in found.values()]
        ids = text_ids(chunk for found in places.values() for chunk in found)
        return pl.DataFrame({QUERY: owners, CHUNK: ids, SCORE: _numbers(scores, owners, SCORE)})
    return _ranked_lists(list(places.values()), owners)


def _ranked_lists(lists: Sequence[Sequence[Any]], owners: pl.Series) -> pl.DataFrame:
    ranks = pl.Series(
        (rank for found in lists for rank in range(1, len(found) + 1)), dtype=pl.Int64
    )
    places = [place for found in lists for place in found]
    if not any(isinstance(place, Mapping | tuple) for place in places):
        return pl.DataFrame({QUERY: owners, CHUNK: text_ids(places), RANK: ranks})
    records = [_record(place) for place in places]
    present = [name for name in _RECORD_KEYS if any(name in record for record in records)]
    columns = {
        name: text_ids(values) if name in (CHUNK, DOC) else values
        for name in present
        for values in [[record.get(name) for record in records]]
    }
    empty = {} if CHUNK in columns else {CHUNK: pl.Series([None] * len(records), dtype=pl.String)}
    types = schema(RETRIEVED, only=[QUERY, CHUNK, RANK, *present])
    return _typed_frame({QUERY: owners, **empty, **columns, RANK: ranks}, types)


def _typed_frame(columns: Mapping[str, Any], types: Mapping[str, Any]) -> pl.DataFrame:
    try:
        return pl.DataFrame({name: columns[name] for name in types}, schema=dict(types))
    except (TypeError, UnicodeEncodeError, pl.exceptions.PolarsError) as error:
        message = str(error).partition("\n")[0]
        raise InputError(
            Fault(file="run", expected="records as in the files", found=message)
        ) from None


def _record(place: Any) -> dict[str, Any]:
    if isinstance(place, Mapping):
        return {name: place[key] for name, key in _RECORD_KEYS.items() if key in place}
    if isinstance(place, tuple) and len(place) == 2:
        return {CHUNK: place[0]}
    return {CHUNK: place}


def _listed(found: Any, query: Any, *, expected: str) -> list[Any]:
    if isinstance(found, str | bytes) or not isinstance(found, Iterable):
        raise InputError(Fault(field=f"query {query!r}", expected=expected, found=repr(found)[:80]))
    return list(found)


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
    except (TypeError, ValueError):
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
    except (TypeError, ValueError):
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
    expected = "a list of ids"
    numbered = {str(n): entry for n, entry in enumerate(listed, 1)}
    return (
        {n: _judged(entry.relevant_ids, n, expected=expected) for n, entry in numbered.items()},
        {n: _listed(entry.ranked_ids, n, expected=expected) for n, entry in numbered.items()},
    )


def _judged(relevant: Any, number: str, *, expected: str) -> Any:
    return (
        relevant if isinstance(relevant, Mapping) else _listed(relevant, number, expected=expected)
    )
