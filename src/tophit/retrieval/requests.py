"""From questions to requests: their ids and texts, and what else a retriever may want."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import narwhals as nw
import polars as pl

from tophit.errors import Fault, InputError, UsageError
from tophit.frames import text_id
from tophit.relations import (
    FILTER,
    HISTORY,
    QUERIES,
    QUERY,
    QUESTION,
    TAG_PREFIX,
    Questions,
    schema,
)
from tophit.retrieval.protocol import Request


def requests_of(queries: Any, *, depth: int) -> list[Request]:
    """A request for every question, in their order.

    `queries` are `Questions`, a path, a frame of `query_id, question`, or id to question.
    Errors: `InputError` for a question without text, an id that is there twice, a history or a
    filter that is no JSON.

    >>> requests_of({"q1": "Which fees?"}, depth=4)[0].question
    'Which fees?'
    """
    source, frame = _question_frame(queries)
    _check(frame, source)
    tags = [name for name in frame.columns if name.startswith(TAG_PREFIX)]
    return [
        Request(
            question=row[QUESTION],
            depth=depth,
            id=row[QUERY],
            history=_value(row, HISTORY, source),
            filter=_value(row, FILTER, source),
            tags={n.removeprefix(TAG_PREFIX): row[n] for n in tags if row[n] is not None},
        )
        for row in frame.iter_rows(named=True)
    ]


def _check(frame: pl.DataFrame, source: str) -> None:
    """A question without text cannot be searched for: an error."""
    if absent := [column for column in (QUERY, QUESTION) if column not in frame.columns]:
        raise InputError(
            Fault(file=source, field=column, expected="a column of that name", found="none")
            for column in absent
        )
    blank = pl.col(QUESTION).fill_null("").str.strip_chars() == ""
    faults = [
        Fault(file=source, field=f"question of {query!r}", expected="text", found="nothing")
        for query in frame.filter(blank)[QUERY]
    ]
    repeated = frame.filter(pl.col(QUERY).is_duplicated())[QUERY].unique(maintain_order=True)
    faults += [
        Fault(file=source, field=QUERY, expected="each id once", found=repr(query))
        for query in repeated
    ]
    if faults:
        raise InputError(faults)


def _value(row: Mapping[str, Any], name: str, source: str) -> Any:
    text = row.get(name)
    if text is None or not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except ValueError:
        field = f"{name} of {row[QUERY]!r}"
        raise InputError(Fault(file=source, field=field, expected="JSON", found=text)) from None


def _question_frame(queries: Any) -> tuple[str, pl.DataFrame]:
    if isinstance(queries, str | os.PathLike):
        from tophit.formats import read_questions

        queries = read_questions(queries)
    if isinstance(queries, Questions):
        return queries.source, queries.queries
    if isinstance(queries, Mapping):
        rows = [(text_id(query), text) for query, text in queries.items()]
        return "questions", pl.DataFrame(rows, schema=schema(QUERIES), orient="row")
    if isinstance(queries, pl.DataFrame):
        return "questions", queries
    try:
        frame = nw.from_native(queries)
    except TypeError:
        kind = type(queries).__name__
        raise UsageError(
            f"queries: expected Questions, a path, a data frame or id to question, found {kind}"
        ) from None
    return "questions", frame.lazy().collect().to_polars()
