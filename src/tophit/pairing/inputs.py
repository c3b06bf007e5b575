"""Questions and run as relations on one engine, paired."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import polars as pl

from tophit.errors import DataWarning
from tophit.frames import questions_from, run_from, to_engine
from tophit.frames.engines import is_sql, on_engine, way_back
from tophit.frames.inputs import Asked, Retrieved
from tophit.pairing.evidence import evidence
from tophit.pairing.queries import Pairs, Query, pair
from tophit.records.made import is_made
from tophit.relations import QUERY, QUESTION, Lazy, Questions, Run

_NEW = "_asked_as"


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


def inputs_from(questions: Any, run: Any, *, match: str = "auto", chunks: Any = None) -> Inputs:
    """Bring questions and run onto one engine: that of the run, or of the questions, else Polars.

    pandas and PyArrow frames are computed on Polars and come back as pandas and PyArrow. The lists
    of the run get the ids of their questions (queries.py); places without a text get the one that
    `chunks` has under their id (evidence.py).

    Errors: as `questions_from`, `run_from`, `queries.pair` and `evidence.evidence`.

    >>> given = inputs_from({"q1": ["d1"]}, {"q1": ["d1"]})
    >>> given.in_process
    True
    """
    asked, found = questions_from(questions), run_from(run)
    pairs = _pairs(asked, found)
    leader = next((f for f in (found.retrieved, asked.judgments) if is_sql(f)), found.retrieved)
    judgments, retrieved = (on_engine(f, leader) for f in (asked.judgments, found.retrieved))
    queries = on_engine(asked.queries, leader)
    if queries.implementation.is_polars():
        queries = nw.from_native(queries.collect().to_polars().unique(maintain_order=True)).lazy()
    else:
        queries = queries.unique()
    held = evidence(judgments, _renamed(retrieved, pairs), match=match, chunks=chunks)
    return Inputs(
        queries=queries,
        judgments=held.judgments,
        retrieved=held.retrieved,
        to_caller=way_back((run, questions), leader, queries),
        asked=questions if isinstance(questions, Questions) else _in_process(asked),
        warnings=(*asked.warnings, *found.warnings, *pairs.warnings, *held.warnings),
    )


def paired(questions: Questions, run: Run, *, match: str = "auto") -> tuple[Questions, Run]:
    """The same for what is in memory: the run with the ids of the questions, both with their texts.

    Errors: as `queries.pair` and `evidence.evidence`.

    >>> from tophit.frames import questions_in_memory, run_in_memory
    >>> expected = [{"id": "q1", "question": "Which fees?", "expected": ["late fees"]}]
    >>> asked = questions_in_memory(expected)
    >>> run = run_in_memory([{"question": "which fees?", "retrieved": ["the late fees"]}])
    >>> paired(asked, run)[1].retrieved.select("query_id", "text").rows()
    [('q1', 'the late fees')]
    """
    pairs = _pairs(questions_from(questions), run_from(run))
    judgments = nw.from_native(questions.judgments.lazy())
    held = evidence(judgments, _lazily(run.retrieved, pairs), match=match)
    answers, queries = (
        None if frame is None else _lazily(frame, pairs).collect().to_polars()
        for frame in (run.answers, run.queries)
    )
    warnings = (*run.warnings, *pairs.warnings, *held.warnings)
    return (
        replace(questions, judgments=held.judgments.collect().to_polars()),
        replace(
            run,
            retrieved=held.retrieved.collect().to_polars(),
            answers=answers,
            queries=queries,
            warnings=warnings,
        ),
    )


def _lazily(frame: pl.DataFrame, pairs: Pairs) -> Lazy:
    return _renamed(nw.from_native(frame.lazy()), pairs)


def _pairs(asked: Asked, found: Retrieved) -> Pairs:
    """By ids alone, unless a side knows the texts of the questions or has none but made-up ids."""
    of_run, texts = found.queries, asked.texts
    if of_run is None:
        if texts is None or not any(map(is_made, texts[QUERY])):
            return Pairs()
        of_run = found.retrieved.lazy().select(QUERY).unique().collect().to_polars()
    if of_run[QUERY].dtype != pl.String:
        of_run = of_run.with_columns(pl.col(QUERY).cast(pl.String))
    ids = asked.queries.lazy().select(QUERY).collect().to_polars().unique(maintain_order=True)
    if _agree(ids, texts, of_run):
        return Pairs()
    return pair(_listed(ids, texts), _listed(of_run, of_run))


def _agree(ids: pl.DataFrame, texts: pl.DataFrame | None, of_run: pl.DataFrame) -> bool:
    """Whether every query of the run is a question by its id, under the same text where known."""
    if not of_run[QUERY].is_in(ids[QUERY].implode()).all():
        return False
    if texts is None or QUESTION not in of_run.columns:
        return True
    both = of_run.join(texts, on=QUERY, suffix=_NEW)
    return not (both[QUESTION] != both[QUESTION + _NEW]).any()


def _listed(ids: pl.DataFrame, texts: pl.DataFrame | None) -> list[Query]:
    if texts is None or QUESTION not in texts.columns:
        return [Query(key) for key in ids[QUERY] if key is not None]
    known = dict(texts.select(QUERY, QUESTION).iter_rows())
    return [Query(key, known.get(key)) for key in ids[QUERY] if key is not None]


def _renamed(retrieved: Lazy, pairs: Pairs) -> Lazy:
    if not pairs.renamed:
        return retrieved
    columns = retrieved.collect_schema().names()
    rows = pl.DataFrame(
        list(pairs.renamed), schema={QUERY: pl.String, _NEW: pl.String}, orient="row"
    )
    joined = retrieved.join(to_engine(rows, retrieved), on=QUERY, how="left")
    return joined.with_columns(nw.coalesce(_NEW, QUERY).alias(QUERY)).select(columns)


def _in_process(asked: Asked) -> Questions | None:
    if is_sql(asked.judgments):
        return None
    queries, judgments = (
        frame.lazy().collect().to_polars() for frame in (asked.queries, asked.judgments)
    )
    queries = queries.unique(maintain_order=True)
    if asked.texts is not None:
        queries = queries.join(asked.texts, on=QUERY, how="left", maintain_order="left")
    return Questions(queries=queries, judgments=judgments)
