"""From the scores of the queries to what an evaluation says: counts, means and their intervals.

All of it is one row, so an engine is asked once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw

from tophit.measures import Measure
from tophit.measures.credit import N_RELEVANT, flag
from tophit.ranking import N_REPEATED, N_RETRIEVED, N_TIED
from tophit.relations import QUERY, Lazy
from tophit.result import QuestionCounts, Score
from tophit.scoring import ASKED, N_DISPUTED, N_HITS, TIE_AT_CUTOFF, counts_in, names_of
from tophit.statistics import interval, interval_from_sums


@dataclass(frozen=True, kw_only=True)
class Averages:
    """What was counted over all queries, and the mean of each measure over those that count."""

    questions: QuestionCounts
    measures: Mapping[str, Score]
    hits: int
    repeated: int
    tied: int
    disputed: int
    ties_at_cutoff: int


def average(
    scored: Lazy, measures: Sequence[Measure], *, population: str, level: float
) -> Averages:
    """Count the queries and average the measures (`scored`: see `scoring.score_queries`).

    In process the intervals come from the values, on an engine from their sums.
    """
    counts = counts_in(population)
    sums = {} if scored.implementation.is_polars() else _sums(measures, counts)
    row = scored.select(**_counts(), n=flag(counts).sum(), **sums).collect().rows(named=True)[0]
    numbers = {name: int(row[name] or 0) for name in [*_counts(), "n"]}
    if sums:
        means = _means_from_sums(row, measures, n=numbers["n"], level=level)
    else:
        means = _means(scored.filter(counts), measures, level=level)
    total, answerable = numbers["total"], numbers["answerable"]
    return Averages(
        questions=QuestionCounts(
            total=total,
            answerable=answerable,
            unanswerable=total - answerable,
            without_results=numbers["without_results"],
            not_asked=numbers["not_asked"],
        ),
        measures=means,
        **{
            name: numbers[name]
            for name in ("hits", "repeated", "tied", "disputed", "ties_at_cutoff")
        },
    )


def scores_of(scored: Lazy, measures: Sequence[Measure], *, population: str) -> Lazy:
    """Give the relation `scores`: the queries that count, a column a measure by its name."""
    names = names_of(measures)
    kept = scored.filter(counts_in(population)).select(QUERY, *names)
    return kept.rename({name: measure.name for name, measure in names.items()})


def _counts() -> dict[str, nw.Expr]:
    asked = nw.col(ASKED) == 1
    relevant = asked & (nw.col(N_RELEVANT) > 0)
    returned = nw.col(N_RETRIEVED) > 0
    return {
        "total": flag(asked).sum(),
        "answerable": flag(relevant).sum(),
        "without_results": flag(relevant & ~returned).sum(),
        "not_asked": flag(~asked).sum(),
        "hits": nw.col(N_HITS).sum(),
        "repeated": nw.col(N_REPEATED).sum(),
        "tied": nw.col(N_TIED).sum(),
        "disputed": nw.col(N_DISPUTED).sum(),
        "ties_at_cutoff": nw.col(TIE_AT_CUTOFF).sum(),
    }


def _means(counted: Lazy, measures: Sequence[Measure], *, level: float) -> dict[str, Score]:
    frame = counted.collect()
    means: dict[str, Score] = {}
    for name, measure in names_of(measures).items():
        values = frame[name].to_numpy()
        bounds = interval(values, binary=measure.definition.binary, level=level)
        means[measure.name] = Score(
            # exact, so that the order of the queries does not show in the last digit
            value=math.fsum(values) / len(values) if len(values) else 0.0,
            low=bounds.low,
            high=bounds.high,
            n=len(values),
            method=bounds.method,
        )
    return means


def _sums(measures: Sequence[Measure], counts: nw.Expr) -> dict[str, nw.Expr]:
    sums: dict[str, nw.Expr] = {}
    for name in names_of(measures):
        value = nw.when(counts).then(nw.col(name)).otherwise(nw.lit(0.0))
        sums[f"{name}_sum"] = value.sum()
        sums[f"{name}_squares"] = (value * value).sum()
    return sums


def _means_from_sums(
    row: Mapping[str, Any], measures: Sequence[Measure], *, n: int, level: float
) -> dict[str, Score]:
    means: dict[str, Score] = {}
    for name, measure in names_of(measures).items():
        total, squares = float(row[f"{name}_sum"] or 0.0), float(row[f"{name}_squares"] or 0.0)
        bounds = interval_from_sums(
            total, squares, n, binary=measure.definition.binary, level=level
        )
        means[measure.name] = Score(
            value=total / n if n else 0.0,
            low=bounds.low,
            high=bounds.high,
            n=n,
            method=bounds.method,
        )
    return means
