"""Questions and run as relations, checked, on one engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from tophit.errors import DataWarning, Fault, InputError
from tophit.frames.engines import is_sql, on_engine, way_back
from tophit.frames.native import Frame, relation_of, typed
from tophit.frames.python import questions_from_dict, run_from_dict
from tophit.frames.values import check_values
from tophit.relations import (
    CHUNK,
    CHUNKS,
    DOC,
    END,
    GRADE,
    ITEM,
    JUDGMENTS,
    QUERY,
    RANK,
    RETRIEVED,
    SCORE,
    START,
    TEXT,
    Lazy,
    Questions,
    Run,
    schema,
)


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """The relations on one engine, and the way back to the caller's kind of frame.

    `asked` is what was asked, in process; None where the questions live on DuckDB or Spark.
    """

    queries: Lazy
    judgments: Lazy
    retrieved: Lazy
    to_caller: Callable[[Lazy], Any]
    asked: Questions | None = None
    warnings: tuple[DataWarning, ...] = ()

    @property
    def in_process(self) -> bool:
        """True on Polars, where values are collected; False on DuckDB and Spark, where sums are."""
        return self.retrieved.implementation.is_polars()


def inputs_from(questions: Any, run: Any) -> Inputs:
    """Bring questions and run onto one engine: that of the run, or of the questions, else Polars.

    pandas and PyArrow frames are computed on Polars and come back as pandas and PyArrow.

    Errors: as `questions_from` and `run_from`.

    >>> given = inputs_from({"q1": ["d1"]}, {"q1": ["d1"]})
    >>> given.in_process
    True
    """
    asked, found = questions_from(questions), run_from(run)
    leader = next((f for f in (found.retrieved, asked.judgments) if is_sql(f)), found.retrieved)
    judgments, retrieved = (on_engine(f, leader) for f in (asked.judgments, found.retrieved))
    queries = on_engine(asked.queries, leader)
    if queries.implementation.is_polars():
        queries = nw.from_native(queries.collect().to_polars().unique(maintain_order=True)).lazy()
    else:
        queries = queries.unique()
    return Inputs(
        queries=queries,
        judgments=judgments,
        retrieved=retrieved,
        to_caller=way_back((run, questions), leader, queries),
        asked=questions if isinstance(questions, Questions) else _in_process(asked),
        warnings=(*asked.warnings, *found.warnings),
    )


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The relations `queries` (the ids alone) and `judgments`."""

    queries: Frame
    judgments: Frame
    warnings: tuple[DataWarning, ...] = ()


def _in_process(asked: Asked) -> Questions | None:
    if is_sql(asked.judgments):
        return None
    queries, judgments = (
        frame.lazy().collect().to_polars() for frame in (asked.queries, asked.judgments)
    )
    return Questions(queries=queries.unique(maintain_order=True), judgments=judgments)


@dataclass(frozen=True, kw_only=True)
class Found:
    """The relation `retrieved`."""

    retrieved: Frame
    warnings: tuple[DataWarning, ...] = ()


def questions_from(questions: Any) -> Asked:
    """Give the relations `queries` and `judgments` of whatever holds the questions.

    A path is read by its format; a `Questions` is taken as it is; a frame has the columns of
    `judgments` (or their usual other names); a dict is `{query: {id: grade}}` or `{query: [ids]}`;
    an iterable holds named tuples such as ir_measures' `Qrel`, or dicts of columns. A row without
    an item is a question without one.

    Errors: `InputError` for missing columns or values; `UsageError` for any other type.

    >>> asked = questions_from({"q1": {"d1": 1}, "q2": []})
    >>> len(asked.queries), asked.judgments.rows()
    (2, [('q1', 'd1', 1.0)])
    """
    queries: Frame | None = None
    warnings: tuple[DataWarning, ...] = ()
    if isinstance(questions, str | Path):
        from tophit.formats import read_questions

        questions = read_questions(questions)
    if isinstance(questions, Questions):
        queries, warnings = nw.from_native(questions.queries), questions.warnings
        questions = questions.judgments
    elif isinstance(questions, Mapping):
        asked, questions = questions_from_dict(questions)
        queries = nw.from_native(asked)
    given = relation_of(questions, JUDGMENTS, required=(QUERY,), kind="questions")
    names = given.collect_schema().names()
    if ITEM not in names:
        given = _with_item_ids(given)
    checked, found = check_values(given, kind="questions")
    judgments = typed(checked, JUDGMENTS, kind="questions")
    if queries is None:
        queries = judgments
    else:
        queries, _ = check_values(queries.select(QUERY), kind="questions")
        queries = typed(queries, {QUERY: "String"}, kind="questions")
    if GRADE not in names:
        judgments = judgments.with_columns(nw.lit(1.0).alias(GRADE))
    has_item = ~nw.col(ITEM).is_null() & (nw.col(ITEM) != "")
    return Asked(
        queries=queries.select(QUERY),
        judgments=_complete(judgments.filter(has_item), JUDGMENTS),
        warnings=(*warnings, *found),
    )


def run_from(run: Any) -> Found:
    """Give the relation `retrieved` of whatever holds the run.

    A path, a `Run`, a frame; a dict `{query: {id: score}}` (scores decide) or
    `{query: [ids or records]}` (the given order counts); an iterable of named tuples such as
    ir_measures' `ScoredDoc`.

    Errors: as `questions_from`.

    >>> run_from({"q1": ["d2", "d1"]}).retrieved.rows()
    [('q1', 'd2', 1), ('q1', 'd1', 2)]
    """
    warnings: tuple[DataWarning, ...] = ()
    if isinstance(run, str | Path):
        from tophit.formats import read_run

        run = read_run(run)
    if isinstance(run, Run):
        run, warnings = run.retrieved, run.warnings
    elif isinstance(run, Mapping):
        run = run_from_dict(run)
    given = relation_of(run, RETRIEVED, required=(QUERY, CHUNK), kind="run")
    if not {RANK, SCORE} & set(columns := given.collect_schema().names()):
        place, names = "rank, score", ", ".join(columns)
        raise InputError(
            Fault(file="run", field=place, expected="one of these columns", found=names)
        )
    checked, found = check_values(given, kind="run")
    retrieved = _complete(typed(checked, RETRIEVED, kind="run"), RETRIEVED)
    return Found(retrieved=retrieved, warnings=(*warnings, *found))


def chunks_from(chunks: Any, *, leader: Frame | None = None) -> Lazy:
    """Give the relation `chunks` of whatever holds the index, on the engine of `leader`.

    A path, a frame, or records (`{"id": ..., "text": ...}`, as in the files).

    Errors: as `questions_from`.

    >>> chunks_from([{"id": "c1", "text": "a"}]).collect().rows()
    [('c1', 'a')]
    """
    if isinstance(chunks, str | Path):
        from tophit.formats import read_chunks

        chunks = read_chunks(chunks)
    given = relation_of(chunks, CHUNKS, required=(CHUNK,), kind="chunks")
    frame = typed(given, CHUNKS, kind="chunks")
    return on_engine(frame, frame if leader is None else leader)


def _complete(frame: Frame, relation: Mapping[str, str]) -> Frame:
    """Give a frame in memory that has no rows all columns: nothing can be missing in none."""
    if isinstance(frame, nw.LazyFrame) or len(frame):
        return frame
    return nw.from_native(pl.DataFrame(schema=schema(dict(relation))))


def _with_item_ids(judgments: Frame) -> Frame:
    """Number the items of each query, where only their texts or places are given."""
    names = judgments.collect_schema().names()
    if TEXT not in names and not {DOC, START, END} <= set(names):
        expected = "a column item_id, or text, or doc_id with start and end"
        found = ", ".join(names)
        raise InputError(Fault(file="questions", field=ITEM, expected=expected, found=found))
    if is_sql(judgments):
        expected = "a column item_id: rows on an engine have no order to number them by"
        raise InputError(Fault(file="questions", field=ITEM, expected=expected, found="none"))
    frame = judgments.lazy().collect().to_polars()
    number = pl.int_range(1, pl.len() + 1).over(QUERY).cast(pl.String)
    given = pl.any_horizontal(pl.col(name).is_not_null() for name in (TEXT, START) if name in names)
    item = pl.when(given).then(pl.concat_str(pl.lit("e"), number))
    return nw.from_native(frame.with_columns(item.alias(ITEM)))
