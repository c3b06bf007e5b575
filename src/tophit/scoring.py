"""From hits to scores: one row a query, one column a measure, in one aggregation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw

from tophit.errors import Fault, InputError, unknown
from tophit.measures import Cutoff, Measure
from tophit.measures.credit import (
    N_NONRELEVANT,
    N_RELEVANT,
    N_RETRIEVED,
    TOKENS_THROUGH,
    credited,
    flag,
    places_column,
)
from tophit.relations import GRADE, ITEM, QUERY, RANK, TOKENS, Lazy

N_ITEMS = "n_items"
POPULATIONS = {
    "answerable": "questions with an item of at least the relevance level",
    "trec_eval": "judged queries that the run has, those without a relevant item as 0",
    "trec_eval-c": "all judged queries, those that the run lacks as 0 (trec_eval -c)",
}


def budgets(measures: Sequence[Measure]) -> tuple[Cutoff, ...]:
    """The token budgets that the measures cut at.

    >>> from tophit.measures import parse_measures
    >>> [str(cutoff) for cutoff in budgets(parse_measures("Hit@4 Hit@3200tok Recall@3200tok"))]
    ['3200tok']
    """
    cuts = {m.cutoff.value: m.cutoff for m in measures if m.cutoff and m.cutoff.unit == "tok"}
    return tuple(cuts.values())


def with_tokens_through(retrieved: Lazy) -> Lazy:
    """Add to ranked places the tokens of all chunks down to each one, itself included.

    Errors: `InputError` when the run has no `tokens`.
    """
    if TOKENS not in retrieved.collect_schema().names():
        raise InputError(
            Fault(
                file="run",
                field=TOKENS,
                expected="a count on every chunk, for a token budget",
                found="none",
            )
        )
    through = nw.col(TOKENS).cum_sum().over(QUERY, order_by=[RANK])
    return retrieved.with_columns(through.alias(TOKENS_THROUGH))


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
    of_run = retrieved.group_by(QUERY).agg(nw.len().alias(N_RETRIEVED), **fits)
    of_items = judgments.group_by(QUERY, ITEM).agg(nw.col(GRADE).max())
    if cuts:
        of_items = of_items.join(of_run, on=QUERY, how="left").with_columns(_filled(list(fits)))
    grade = nw.col(GRADE)
    ideal_rank = grade.rank("ordinal", descending=True).over(QUERY).cast(nw.Int64)
    totals = {name: expr for m in measures for name, expr in m.definition.totals(m).items()}
    summed = (
        of_items.with_columns(ideal_rank=ideal_rank)
        .group_by(QUERY)
        .agg(
            nw.len().alias(N_ITEMS),
            flag(grade >= min_grade).sum().alias(N_RELEVANT),
            flag((grade >= 0) & (grade < min_grade)).sum().alias(N_NONRELEVANT),
            **totals,
        )
    )
    counts = [N_ITEMS, N_RELEVANT, N_NONRELEVANT, N_RETRIEVED, *fits]
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
    hits: Lazy, totals: Lazy, *, measures: Sequence[Measure], min_grade: float
) -> Lazy:
    """Give the relation `scores` over the queries in `totals`; a query without hits has 0.

    All measures come out of one aggregation over `hits`.

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
    names = [f"m{n}" for n in range(len(measures))]  # plain names: every engine takes them
    columns = {name: expr for m in measures for name, expr in m.definition.columns(m).items()}
    credit = credited(hits.join(totals, on=QUERY, how="inner"), min_grade=min_grade)
    values = (
        (credit.with_columns(**columns) if columns else credit)
        .group_by(QUERY)
        .agg(m.expression.alias(name) for name, m in zip(names, measures, strict=True))
    )
    filled = totals.select(QUERY).join(values, on=QUERY, how="left")
    return filled.with_columns(nw.col(name).fill_null(0.0) for name in names).rename(
        {name: m.name for name, m in zip(names, measures, strict=True)}
    )
