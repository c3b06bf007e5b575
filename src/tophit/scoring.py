"""From hits to scores: one row a query, one column a measure, in one aggregation."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from tophit.budgets import budgets
from tophit.errors import unknown
from tophit.measures import Measure
from tophit.measures.credit import (
    N_NONRELEVANT,
    N_RELEVANT,
    N_RETRIEVED,
    TOKENS_THROUGH,
    credited,
    flag,
    numbered,
    places_column,
)
from tophit.relations import GRADE, ITEM, ITEM_CHARS, QUERY, Lazy

N_ITEMS = "n_items"
POPULATIONS = {
    "answerable": "questions with an item of at least the relevance level",
    "trec_eval": "judged queries that the run has, those without a relevant item as 0",
    "trec_eval-c": "all judged queries, those that the run lacks as 0 (trec_eval -c)",
}


def query_totals(
    queries: Lazy,
    judgments: Lazy,
    retrieved: Lazy,
    *,
    measures: Sequence[Measure],
    min_grade: float,
) -> Lazy:
    """Give a row for every query asked: how many items and places it has, and the measures' totals.

    Columns: query_id, n_items, n_relevant (grade >= `min_grade`), n_nonrelevant (grade from 0 up to
    the level), n_retrieved, and what the definitions call totals, such as the ideal gain of nDCG.
    """
    cuts = budgets(measures)
    fits = {places_column(c): flag(nw.col(TOKENS_THROUGH) <= c.value).sum() for c in cuts}
    sums = {name: expr for m in measures for name, expr in m.definition.place_totals(m).items()}
    of_run = retrieved.group_by(QUERY).agg(nw.len().alias(N_RETRIEVED), **fits, **sums)
    chars = [nw.col(ITEM_CHARS).max()] if ITEM_CHARS in judgments.collect_schema().names() else []
    of_items = judgments.group_by(QUERY, ITEM).agg(nw.col(GRADE).max(), *chars)
    if cuts:
        of_items = of_items.join(of_run, on=QUERY, how="left").with_columns(_filled(list(fits)))
    grade = nw.col(GRADE)
    ideal_rank = grade.rank("ordinal", descending=True).over(QUERY).cast(nw.Int64)
    totals = {name: expr for m in measures for name, expr in m.definition.totals(m).items()}
    summed = (
        of_items.with_columns(ideal_rank=ideal_rank, relevant=grade >= min_grade)
        .group_by(QUERY)
        .agg(
            nw.len().alias(N_ITEMS),
            flag(grade >= min_grade).sum().alias(N_RELEVANT),
            flag((grade >= 0) & (grade < min_grade)).sum().alias(N_NONRELEVANT),
            **totals,
        )
    )
    counts = [N_ITEMS, N_RELEVANT, N_NONRELEVANT, N_RETRIEVED, *fits, *sums]
    return (
        queries.join(summed, on=QUERY, how="left")
        .join(of_run, on=QUERY, how="left")
        .with_columns(*_filled(counts), *_filled(list(totals), kind=nw.Float64))
    )


def _filled(names: list[str], kind: Any = nw.Int64) -> list[nw.Expr]:
    return [nw.col(name).cast(kind).fill_null(0) for name in names]


def counted(totals: Lazy, *, population: str) -> Lazy:
    """Keep the queries that a mean is over (see `POPULATIONS`).

    Errors: `UsageError` for an unknown population.
    """
    if population not in POPULATIONS:
        raise unknown("population", population, list(POPULATIONS))
    if population == "answerable":
        return totals.filter(nw.col(N_RELEVANT) > 0)
    judged = totals.filter(nw.col(N_ITEMS) > 0)
    return judged if population == "trec_eval-c" else judged.filter(nw.col(N_RETRIEVED) > 0)


def score_queries(
    hits: Lazy,
    totals: Lazy,
    *,
    measures: Sequence[Measure],
    min_grade: float,
    pieces: Lazy | None = None,
    index: Lazy | None = None,
) -> Lazy:
    """Give the relation `scores` over the queries in `totals`; a query without hits has 0.

    All measures that read one relation come out of one aggregation over it.

    >>> import polars as pl
    >>> from tophit.measures import parse_measures
    >>> judged = nw.from_native(pl.LazyFrame({"query_id": ["q"], "item_id": ["d"], "grade": [1.0]}))
    >>> run = nw.from_native(pl.LazyFrame({"query_id": ["q"], "chunk_id": ["d"], "rank": [2]}))
    >>> hits = judged.join(run, on="query_id").with_columns(share=nw.lit(1.0))
    >>> measures = parse_measures("Hit@4 MRR")
    >>> asked = judged.select("query_id")
    >>> totals = query_totals(asked, judged, run, measures=measures, min_grade=1)
    >>> score_queries(hits, totals, measures=measures, min_grade=1).collect().rows()
    [('q', 1.0, 0.5)]
    """
    names = {f"m{n}": m for n, m in enumerate(measures)}  # plain names: every engine takes them
    scores = totals.select(QUERY)
    for reads, relation in (("hits", hits), ("pieces", pieces), ("index", index)):
        wanted = {name: m for name, m in names.items() if m.definition.reads == reads}
        if wanted and relation is not None:
            rows = relation.join(totals, on=QUERY, how="inner")
            prepare = numbered if reads == "pieces" else credited
            values = _values(prepare(rows, min_grade=min_grade), wanted)
            scores = scores.join(values, on=QUERY, how="left")
    filled = scores.with_columns(nw.col(name).fill_null(0.0) for name in names)
    return filled.select(QUERY, *names).rename({name: m.name for name, m in names.items()})


def _values(rows: Lazy, measures: Mapping[str, Measure]) -> Lazy:
    stages = [m.definition.columns(m) for m in measures.values()]
    for together in itertools.zip_longest(*stages, fillvalue={}):
        columns = {name: expr for stage in together for name, expr in stage.items()}
        rows = rows.with_columns(**columns)
    values = [m.expression.alias(name) for name, m in measures.items()]
    return rows.group_by(QUERY).agg(*values)
