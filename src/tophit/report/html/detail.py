"""One run question by question: what the explorer of a report shows, as frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tophit.diagnosis import Diagnosis
from tophit.diagnosis.examine import Examiner
from tophit.diagnosis.run import diagnosis_of
from tophit.evaluation.curve import TOKENS_MEAN, tokens_of_context
from tophit.evaluation.evaluate import DEFAULT_MEASURES, evaluate
from tophit.evaluation.ranking import ranked
from tophit.evaluation.result import Result
from tophit.frames import collected, read_once
from tophit.pairing import Inputs
from tophit.relations import DOC, END, ITEM, QUERY, RANK, SCORE, START, TEXT, TOKENS
from tophit.report.html.held import held_pieces
from tophit.settings import Settings

PLACES_SHOWN = 20
DEEPEST = 100
"""How far the curves go."""

_ITEM_COLUMNS = {TEXT: pl.String, DOC: pl.String, START: pl.Int64, END: pl.Int64}
_PLACE_COLUMNS = {SCORE: pl.Float64, **_ITEM_COLUMNS, TOKENS: pl.Int64}


@dataclass(frozen=True, kw_only=True)
class Detail:
    """What is known of every question of one run.

    queries   query_id [, question, tags], all that were asked
    items     query_id, item_id, grade, text, doc_id, start, end; a row an alternative
    places    query_id, rank, chunk_id, score, text, doc_id, start, end, tokens: the first places
              of each question, and those beyond that hold the most of an item
    held      query_id, item_id, alternative (its number), rank, share, item_start, item_end,
              chunk_start, chunk_end: code points of the texts as given; null where it is by ids
    ranks     query_id, first (rank of the first whole item), half (of the first with half of one)
    retrieved query_id, n: how many places the run has
    values    query_id, a column a measure
    tokens    what the first k places take on average, for k from 1; empty where it is not known
    """

    result: Result
    diagnosis: Diagnosis
    queries: pl.DataFrame
    items: pl.DataFrame
    places: pl.DataFrame
    held: pl.DataFrame
    ranks: pl.DataFrame
    retrieved: pl.DataFrame
    values: pl.DataFrame
    tokens: tuple[float, ...] = ()


def details_of(
    questions: Any,
    runs: Mapping[str, Any],
    results: Sequence[Result] | None = None,
    *,
    measures: Any = DEFAULT_MEASURES,
    settings: Settings | None = None,
    chunks: Any = None,
    documents: Any = None,
) -> list[Detail]:
    """The details of every run: of its result, by its name, else it is evaluated first.

    Errors: as `evaluate` and `diagnose`.

    >>> details_of({"q": ["a"]}, {"bm25": {"q": ["b", "a"]}})[0].ranks.rows()
    [('q', 2, 2)]
    """
    asked = read_once(questions, "questions")
    if results is None:
        results = [
            evaluate(asked, run, measures=measures, settings=settings, name=name)
            for name, run in runs.items()
        ]
    shown = [result for result in results if result.name in runs]
    # what the index and the documents hold is looked up once for all runs
    examiners = {
        result.settings: Examiner(result.settings, chunks=chunks, documents=documents)
        for result in shown
    }
    return [
        _detail(asked, runs[result.name], result, examiners[result.settings]) for result in shown
    ]


def _detail(questions: Any, run: Any, result: Result, examiner: Examiner) -> Detail:
    examined = examiner.examine(questions, run)
    queries, items = examined.asked, _numbered(examined.items)
    hits = _sure(collected(examined.related.hits)).join(
        items.select(QUERY, ITEM).unique(), on=[QUERY, ITEM], how="semi"
    )
    places = _places(examined.inputs, queries, depth=result.depth)
    shown = _shown(places, hits, k=result.k)
    values = collected(result.scores)
    return Detail(
        result=result,
        diagnosis=diagnosis_of(examined, settings=result.settings, name=result.name),
        queries=queries,
        items=items,
        places=shown,
        held=held_pieces(hits, items, shown, settings=result.settings),
        ranks=hits.group_by(QUERY).agg(
            pl.col(RANK).filter(pl.col("share") >= 1.0).min().alias("first"),
            pl.col(RANK).filter(pl.col("share") >= 0.5).min().alias("half"),
        ).sort(QUERY),
        retrieved=places.group_by(QUERY).agg(pl.len().alias("n")),
        values=values,
        tokens=_tokens(places, values[QUERY]),
    )  # fmt: skip


def _tokens(places: pl.DataFrame, counted: pl.Series) -> tuple[float, ...]:
    if not places.height or places[TOKENS].null_count() or not len(counted):
        return ()
    depth = min(DEEPEST, places.select(pl.col(RANK).max()).item())
    return tuple(tokens_of_context(places.lazy(), counted, depth=depth)[TOKENS_MEAN])


def _sure(hits: pl.DataFrame) -> pl.DataFrame:
    """Hits with whole numbers as ranks, whatever the way of matching made them."""
    return hits.with_columns(pl.col(RANK).cast(pl.Int64), pl.col("share").cast(pl.Float64))


def _numbered(items: pl.DataFrame) -> pl.DataFrame:
    missing = [
        pl.lit(None, kind).alias(name)
        for name, kind in _ITEM_COLUMNS.items()
        if name not in items.columns
    ]
    number = pl.int_range(pl.len()).over(QUERY, ITEM).alias("alternative")
    return items.with_columns(number, *missing)


def _places(inputs: Inputs, queries: pl.DataFrame, *, depth: int | None) -> pl.DataFrame:
    """The ranked places of the questions that were asked, down to the depth."""
    places = collected(ranked(inputs.retrieved)).with_columns(pl.col(RANK).cast(pl.Int64))
    places = places.filter(pl.col(QUERY).is_in(queries[QUERY].implode()))
    missing = [
        pl.lit(None, kind).alias(name)
        for name, kind in _PLACE_COLUMNS.items()
        if name not in places.columns
    ]
    places = places.with_columns(missing)
    return places if depth is None else places.filter(pl.col(RANK) <= depth)


def _shown(places: pl.DataFrame, hits: pl.DataFrame, *, k: int) -> pl.DataFrame:
    """The first places of each question, and beyond them the best one of each item."""
    order = ["share", RANK]
    best = hits.sort(order, descending=[True, False]).unique([QUERY, ITEM], keep="first")
    wanted = places.join(best.select(QUERY, RANK).unique(), on=[QUERY, RANK], how="semi")
    first = places.filter(pl.col(RANK) <= max(k, PLACES_SHOWN))
    return pl.concat([first, wanted]).unique([QUERY, RANK], keep="first").sort(QUERY, RANK)
