"""Chunks and questions to a `Run`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from tophit.errors import Fault, InputError, UsageError, unknown
from tophit.frames import text_id
from tophit.relations import (
    ABSTAINED,
    ANSWER,
    ANSWERS,
    CHUNK,
    CHUNKS,
    DOC,
    QUERIES,
    QUERY,
    QUESTION,
    RANK,
    RETRIEVED,
    SCORE,
    TEXT,
    Questions,
    Run,
    schema,
)
from tophit.retrieval import functions
from tophit.retrieval.places import Place
from tophit.retrieval.table import RETRIEVERS

Progress = Callable[[int, int], None]
_CARRIED = [name for name in CHUNKS if name != CHUNK]
_FIELDS = {DOC: "doc"}  # of a `Place`, where not named as the column


def retrieve(
    chunks: pl.DataFrame | None,
    queries: Any,
    *,
    retriever: str | Callable[[str], Iterable[Any]] = "bm25",
    depth: int = 20,
    index_dir: str | os.PathLike[str] | None = None,
    name: str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Run:
    """Retrieve the first `depth` chunks for every question.

    `chunks` is the relation `chunks` (None only where a function retrieves from its own index).
    `queries` are `Questions`, a path, a frame of `query_id, question`, or id to question.
    `retriever` is a name of `RETRIEVERS`, or a function from a question to a list of ids, dicts,
    (item, score) pairs or documents (`functions.call`). `index_dir` keeps the index on disk.
    `options` are the retriever's own. `progress` is called with (questions done, in all).

    The run's `retrieved` has rank, score (null where there is none) and the chunk's text, doc_id,
    start, end, tokens; its `answers` has a row for every question, also where nothing was found.
    Errors: `UsageError` for an unknown retriever or option, or a depth below 1; `InputError` for
    no chunks, chunks of one id, or a question without text.

    >>> chunks = pl.DataFrame({"chunk_id": ["a", "b"], "text": ["late fees", "taxes"]})
    >>> run = retrieve(chunks, {"q1": "Which fees?", "q2": "Who?"})
    >>> run.retrieved.select("query_id", "chunk_id", "rank", "text").rows()
    [('q1', 'a', 1, 'late fees')]
    >>> run.answers["query_id"].to_list()
    ['q1', 'q2']
    """
    if depth < 1:
        raise UsageError(f"depth must be at least 1, not {depth}")
    asked = _questions(queries)
    index = None if chunks is None else _checked(chunks)
    folder = None if index_dir is None else Path(index_dir)
    found = _found(retriever, index, asked[QUESTION].to_list(), depth, folder, options)
    retrieved = _retrieved(asked[QUERY], _reported(found, asked.height, progress))
    if index is not None:
        retrieved = _with_chunks(retrieved, index)
    called = getattr(retriever, "__name__", type(retriever).__name__)
    named = retriever if isinstance(retriever, str) else called
    return Run(
        retrieved=retrieved,
        name=name or named,
        answers=_answers(asked),
        queries=asked,
        source=named,
    )


def _found(
    retriever: str | Callable[[str], Iterable[Any]],
    chunks: pl.DataFrame | None,
    questions: list[str],
    depth: int,
    index_dir: Path | None,
    options: dict[str, Any],
) -> Iterator[list[Place]]:
    if callable(retriever):
        if options or index_dir is not None:
            raise UsageError("a function as retriever takes no options and keeps no index here")
        return functions.call(retriever, questions, depth=depth)
    if retriever not in RETRIEVERS:
        raise unknown("retriever", retriever, list(RETRIEVERS))
    if chunks is None or not chunks.height:
        raise InputError(Fault(file="chunks", expected="at least one chunk", found="none"))
    return RETRIEVERS[retriever].places(
        chunks, questions, depth=depth, index_dir=index_dir, **options
    )


def _questions(queries: Any) -> pl.DataFrame:
    """Ids and texts of the questions. A question without text cannot be searched for: an error."""
    source, frame = _question_frame(queries)
    if absent := [column for column in (QUERY, QUESTION) if column not in frame.columns]:
        raise InputError(
            Fault(file=source, field=column, expected="a column of that name", found="none")
            for column in absent
        )
    blank = pl.col(QUESTION).fill_null("").str.strip_chars() == ""
    missing = frame.filter(blank)[QUERY].to_list()
    repeated = frame.filter(pl.col(QUERY).is_duplicated())[QUERY].unique(maintain_order=True)
    faults = [
        Fault(file=source, field=f"question of {query!r}", expected="text", found="nothing")
        for query in missing
    ]
    faults += [
        Fault(file=source, field=QUERY, expected="each id once", found=repr(query))
        for query in repeated
    ]
    if faults:
        raise InputError(faults)
    return frame.select(QUERY, QUESTION)


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


def _checked(chunks: pl.DataFrame) -> pl.DataFrame:
    """The chunks with every column of the relation, ids unique and texts there."""
    columns = schema(CHUNKS)
    absent = [column for column in (CHUNK, TEXT) if column not in chunks.columns]
    if absent:
        raise InputError(
            Fault(file="chunks", field=column, expected="a column of that name", found="none")
            for column in absent
        )
    repeated = chunks.filter(pl.col(CHUNK).is_duplicated())[CHUNK].unique(maintain_order=True)
    empty = chunks.filter(pl.col(TEXT).is_null())[CHUNK]
    faults = [
        Fault(file="chunks", field=CHUNK, expected="each id once", found=repr(chunk))
        for chunk in repeated
    ]
    faults += [
        Fault(file="chunks", field=f"text of {chunk!r}", expected="text", found="nothing")
        for chunk in empty
    ]
    if faults:
        raise InputError(faults)
    missing = [
        pl.lit(None, dtype=kind).alias(column)
        for column, kind in columns.items()
        if column not in chunks.columns
    ]
    return chunks.with_columns(missing).select(list(columns))


def _reported(
    found: Iterable[list[Place]], total: int, progress: Progress | None
) -> Iterator[list[Place]]:
    for done, places in enumerate(found, 1):
        yield places
        if progress:
            progress(done, total)


def _retrieved(queries: pl.Series, found: Iterable[list[Place]]) -> pl.DataFrame:
    columns = schema(RETRIEVED)
    values: dict[str, list[Any]] = {column: [] for column in columns}
    for query, places in zip(queries, found, strict=True):
        for rank, place in enumerate(places, 1):
            values[QUERY].append(query)
            values[CHUNK].append(place.id)
            values[RANK].append(rank)
            values[SCORE].append(place.score)
            for column in _CARRIED:
                values[column].append(getattr(place, _FIELDS.get(column, column)))
    return pl.DataFrame(values, schema=columns)


def _with_chunks(retrieved: pl.DataFrame, chunks: pl.DataFrame) -> pl.DataFrame:
    """What the retriever did not say of a chunk is taken from the index."""
    joined = retrieved.join(chunks, on=CHUNK, how="left", maintain_order="left", suffix=":index")
    filled = [pl.coalesce(column, f"{column}:index").alias(column) for column in _CARRIED]
    return joined.with_columns(filled).select(retrieved.columns)


def _answers(asked: pl.DataFrame) -> pl.DataFrame:
    unknown_values = [
        pl.lit(None, dtype=kind).alias(column)
        for column, kind in schema(ANSWERS, only=[ANSWER, ABSTAINED]).items()
    ]
    return asked.select(pl.col(QUERY), *unknown_values)
