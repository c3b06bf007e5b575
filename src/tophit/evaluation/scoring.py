"""From hits to scores: one row a query, one column a measure, in one aggregation."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from tophit.choices import POPULATIONS
from tophit.errors import unknown
from tophit.evaluation.budgets import budgets
from tophit.measures import Cutoff, Measure
from tophit.measures.credit import (
    N_NONRELEVANT,
    N_RELEVANT,
    credited,
    flag,
    numbered,
    places_column,
)
from tophit.relations import (
    GRADE,
    ITEM,
    ITEM_CHARS,
    N_REPEATED,
    N_RETRIEVED,
    N_TIED,
    QUERY,
    RANK,
    RANK_BEST,
    RANK_WORST,
    TOKENS_THROUGH,
    Lazy,
)

ASKED = "asked"
N_ITEMS = "n_items"
N_DISPUTED = "n_disputed"
N_HITS = "n_hits"
TIE_AT_CUTOFF = "tie_at_cutoff"
_COUNTS = (ASKED, N_ITEMS, N_RELEVANT, N_NONRELEVANT, N_DISPUTED, N_RETRIEVED, N_REPEATED, N_TIED)


def query_totals(
    queries: Lazy,
    judgments: Lazy,
    of_run: Lazy,
    *,
    measures: Sequence[Measure],
    min_grade: float,
    places: Lazy | None = None,
) -> Lazy:
    """Give a row for every query, asked or in the run: its counts, and the measures' totals.

    `of_run` is what `ranking.per_query` gives; `places` are needed where a measure reads them.
    Columns: query_id, asked (1 or 0), n_items, n_relevant (grade >= `min_grade`), n_nonrelevant
    (grade from 0 up to the level), n_disputed (items with two different grades), the counts of the
    run, and what the definitions call totals, such as the ideal gain of nDCG.
    """
    cuts = [places_column(cutoff) for cutoff in budgets(measures)]
    sums = {places_column(cutoff): _last_within(cutoff) for cutoff in budgets(measures)}
    sums |= {name: expr for m in measures for name, expr in m.definition.place_totals(m).items()}
    if sums and places is not None:
        of_run = of_run.join(places.group_by(QUERY).agg(**sums), on=QUERY, how="left")
    totals = {name: expr for m in measures for name, expr in m.definition.totals(m).items()}
    items = _items(judgments, min_grade=min_grade)
    if cuts:
        items = items.join(of_run.select(QUERY, *cuts), on=QUERY, how="left").with_columns(
            _filled(cuts)
        )
    summed = items.group_by(QUERY).agg(
        nw.len().alias(N_ITEMS),
        flag(nw.col("relevant")).sum().alias(N_RELEVANT),
        flag((nw.col(GRADE) >= 0) & ~nw.col("relevant")).sum().alias(N_NONRELEVANT),
        flag(nw.col("_lowest") < nw.col(GRADE)).sum().alias(N_DISPUTED),
        **totals,
    )
    asked = queries.select(QUERY, nw.lit(1).alias(ASKED))
    everyone = asked.join(of_run, on=QUERY, how="full", suffix="_of_run").with_columns(
        nw.coalesce(QUERY, f"{QUERY}_of_run").alias(QUERY)
    )
    return (
        everyone.drop(f"{QUERY}_of_run")
        .join(summed, on=QUERY, how="left")
        .with_columns(*_filled([*_COUNTS, *sums]), *_filled(list(totals), kind=nw.Float64))
    )


def _last_within(budget: Cutoff) -> nw.Expr:
    fits = nw.col(TOKENS_THROUGH) <= budget.value
    return nw.when(fits).then(nw.col(RANK)).otherwise(nw.lit(0)).max()


def _items(judgments: Lazy, *, min_grade: float) -> Lazy:
    has_chars = ITEM_CHARS in judgments.collect_schema().names()
    chars = [nw.col(ITEM_CHARS).max()] if has_chars else []
    grade = nw.col(GRADE)
    items = judgments.group_by(QUERY, ITEM).agg(grade.max(), grade.min().alias("_lowest"), *chars)
    ideal_rank = grade.rank("ordinal", descending=True).over(QUERY).cast(nw.Int64)
    return items.with_columns(ideal_rank=ideal_rank, relevant=grade >= min_grade)


def _filled(names: list[str], kind: Any = nw.Int64) -> list[nw.Expr]:
    return [nw.col(name).cast(kind).fill_null(0) for name in names]


def counts_in(population: str) -> nw.Expr:
    """True for the queries that a mean is over (see `POPULATIONS`).

    Errors: `UsageError` for an unknown population.
    """
    if population not in POPULATIONS:
        raise unknown("population", population, list(POPULATIONS))
    asked = nw.col(ASKED) == 1
    if population == "answerable":
        return asked & (nw.col(N_RELEVANT) > 0)
    judged = asked & (nw.col(N_ITEMS) > 0)
    return judged if population == "trec_eval-c" else judged & (nw.col(N_RETRIEVED) > 0)


def names_of(measures: Sequence[Measure]) -> dict[str, Measure]:
    """The measures by plain column names, which every engine takes.

    >>> from tophit.measures import parse_measures
    >>> list(names_of(parse_measures("Hit@4 nDCG(gain=exp)@10")))
    ['m0', 'm1']
    """
    return {f"m{n}": measure for n, measure in enumerate(measures)}


def score_queries(
    hits: Lazy,
    totals: Lazy,
    *,
    measures: Sequence[Measure],
    min_grade: float,
    pieces: Lazy | None = None,
    index: Lazy | None = None,
) -> Lazy:
    """Give the values of all measures for every query in `totals`; a query without hits has 0.

    All measures that read one relation come out of one aggregation over it. Columns: query_id, the
    counts of `query_totals`, n_hits, tie_at_cutoff (1 where equal scores decide if a relevant chunk
    is in), and a column for each of `names_of(measures)`.

    >>> import polars as pl
    >>> from tophit.measures import parse_measures
    >>> from tophit.evaluation.ranking import per_query
    >>> judged = nw.from_native(pl.LazyFrame({"query_id": ["q"], "item_id": ["d"], "grade": [1.0]}))
    >>> run = nw.from_native(pl.LazyFrame({"query_id": ["q"], "chunk_id": ["d"], "rank": [2]}))
    >>> hits = judged.join(run, on="query_id").with_columns(share=nw.lit(1.0))
    >>> measures = parse_measures("Hit@4 MRR")
    >>> asked = judged.select("query_id")
    >>> totals = query_totals(asked, judged, per_query(run), measures=measures, min_grade=1)
    >>> scored = score_queries(hits, totals, measures=measures, min_grade=1)
    >>> scored.select("m0", "m1").collect().rows()
    [(1.0, 0.5)]
    """
    names = names_of(measures)
    rows = totals.join(hits, on=QUERY, how="left")
    kept = [nw.col(name).max() for name in _COUNTS]
    found = [
        flag(~nw.col(ITEM).is_null()).sum().alias(N_HITS),
        _tie_at_cutoff(hits, measures, min_grade=min_grade).alias(TIE_AT_CUTOFF),
    ]
    scores = _values(credited(rows, min_grade=min_grade), _reading("hits", names), *kept, *found)
    for reads, relation, prepare in (("pieces", pieces, numbered), ("index", index, credited)):
        wanted = _reading(reads, names)
        if wanted and relation is not None:
            rows = prepare(relation.join(totals, on=QUERY, how="inner"), min_grade=min_grade)
            scores = scores.join(_values(rows, wanted), on=QUERY, how="left")
    return scores.with_columns(nw.col(name).fill_null(0.0) for name in names)


def _reading(reads: str, names: Mapping[str, Measure]) -> dict[str, Measure]:
    return {name: m for name, m in names.items() if m.definition.reads == reads}


def _values(rows: Lazy, measures: Mapping[str, Measure], *kept: nw.Expr) -> Lazy:
    stages = [m.definition.columns(m) for m in measures.values()]
    for together in itertools.zip_longest(*stages, fillvalue={}):
        columns = {name: expr for stage in together for name, expr in stage.items()}
        rows = rows.with_columns(**columns)
    values = [m.expression.alias(name) for name, m in measures.items()]
    return rows.group_by(QUERY).agg(*kept, *values)


def _tie_at_cutoff(hits: Lazy, measures: Sequence[Measure], *, min_grade: float) -> nw.Expr:
    """1 where a relevant chunk stands in or out of a cutoff by the tie rule alone."""
    cuts = {m.cutoff.value for m in measures if m.cutoff and m.cutoff.unit == "places"}
    if not cuts or RANK_BEST not in hits.collect_schema().names():
        return nw.col(ASKED).max() * 0
    across = [(nw.col(RANK_BEST) <= cut) & (nw.col(RANK_WORST) > cut) for cut in sorted(cuts)]
    decides = (nw.col(GRADE) >= min_grade) & nw.any_horizontal(*across, ignore_nulls=True)
    return flag(decides).max()
