"""From the scores of the queries to what an evaluation says: counts, means and their intervals.

All of it is one row, so an engine is asked once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from tophit.evaluation.clusters import CLUSTER, Clusters, without_label
from tophit.evaluation.kinds import LABEL, NO_LABEL
from tophit.evaluation.result import QuestionCounts, Score
from tophit.evaluation.scoring import ASKED, N_DISPUTED, N_HITS, TIE_AT_CUTOFF, counts_in, names_of
from tophit.evaluation.slices import labelled
from tophit.measures import Measure
from tophit.measures.credit import N_RELEVANT, flag
from tophit.relations import N_REPEATED, N_RETRIEVED, N_TIED, QUERY, Lazy
from tophit.statistics import interval, interval_from_cluster_totals, interval_from_sums
from tophit.statistics.intervals import cluster_totals

_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class Averages:
    """What was counted over all queries, and the mean of each measure over those that count.

    `n_clusters` is None where the questions are independent.
    """

    questions: QuestionCounts
    measures: Mapping[str, Score]
    hits: int
    repeated: int
    tied: int
    disputed: int
    ties_at_cutoff: int
    n_clusters: int | None = None


def average(
    scored: Lazy,
    measures: Sequence[Measure],
    *,
    population: str,
    level: float,
    clusters: Clusters | None = None,
) -> Averages:
    """Count the queries and average the measures (`scored`: see `scoring.score_queries`).

    In process the intervals come from the values, on an engine from their sums; with `clusters`
    from the sums of each cluster, everywhere.

    Errors: `InputError` for queries that count and have no cluster label.
    """
    counts = counts_in(population)
    sums = {} if scored.implementation.is_polars() else _sums(measures, counts)
    row = scored.select(**_counts(), n=flag(counts).sum(), **sums).collect().rows(named=True)[0]
    numbers = {name: int(row[name] or 0) for name in [*_counts(), "n"]}
    if sums:
        means = _means_from_sums(row, measures, n=numbers["n"], level=level)
    else:
        means = _means(scored.filter(counts), measures, level=level)
    n_clusters = None
    if clusters is not None:
        found = _clustered(scored.filter(counts), measures, clusters, n=numbers["n"])
        n_clusters, means = len(found["n"]), _with_clusters(means, measures, found, level=level)
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
        n_clusters=n_clusters,
        **{
            name: numbers[name]
            for name in ("hits", "repeated", "tied", "disputed", "ties_at_cutoff")
        },
    )


def slice_means(
    scored: Lazy,
    measures: Sequence[Measure],
    *,
    labels: Lazy,
    population: str,
    level: float,
    clusters: Clusters | None = None,
) -> dict[str, dict[str, Score]]:
    """The means over the queries of each label (`slices.labels_of`), in order of the labels.

    A query with several labels counts in each of these slices; one without has `(none)`. On an
    engine only sums are collected, a row a label.
    """
    rows = labelled(scored.filter(counts_in(population)), labels)
    if rows.implementation.is_polars():
        frame = rows.collect()
        found = {
            label: _means(frame.filter(nw.col(LABEL) == label).lazy(), measures, level=level)
            for label in frame[LABEL].unique().to_list()
        }
    else:
        found = _label_means_from_sums(rows, measures, level=level)
    ordered = sorted(found, key=lambda label: (label == NO_LABEL, label))
    if clusters is None:
        return {label: found[label] for label in ordered}
    sliced = {label: rows.filter(nw.col(LABEL) == label) for label in ordered}
    return {
        label: _with_clusters(
            found[label], measures,
            _clustered(sliced[label], measures, clusters, n=_count(found[label])), level=level,
        )
        for label in ordered
    }  # fmt: skip


def _count(means: Mapping[str, Score]) -> int:
    return max((score.n for score in means.values()), default=0)


def _label_means_from_sums(
    rows: Lazy, measures: Sequence[Measure], *, level: float
) -> dict[str, dict[str, Score]]:
    names = names_of(measures)
    squared = rows.with_columns(
        **{f"{name}_squares": nw.col(name) * nw.col(name) for name in names}
    )
    sums = {f"{name}_sum": nw.col(name).sum() for name in names}
    squares = [nw.col(f"{name}_squares").sum() for name in names]
    table = squared.group_by(LABEL).agg(nw.len().alias("n"), *squares, **sums).collect()
    return {
        row[LABEL]: _means_from_sums(row, measures, n=int(row["n"]), level=level)
        for row in table.rows(named=True)
    }


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


def _clustered(
    counted: Lazy, measures: Sequence[Measure], clusters: Clusters, *, n: int
) -> dict[str, np.ndarray]:
    """The size of each cluster as `n`, and its total of each measure; one row a cluster.

    Errors: `InputError` for queries without a label.
    """
    labels = clusters.labels.with_columns(
        nw.when(nw.col(CLUSTER) != "").then(nw.col(CLUSTER)).alias(CLUSTER)
    )
    joined = counted.join(labels, on=QUERY, how="left")
    names = list(names_of(measures))
    in_process = joined.implementation.is_polars()
    totals = [] if in_process else [nw.col(name).sum() for name in names]
    table = joined.group_by(CLUSTER).agg(nw.len().alias("n"), *totals).collect()
    missing = table.filter(nw.col(CLUSTER).is_null())
    if len(missing):
        without = joined.filter(nw.col(CLUSTER).is_null()).select(QUERY).sort(QUERY).head(_SHOWN)
        raise without_label(
            without.collect()[QUERY].to_list(), field=clusters.field, source=clusters.source,
            count=int(missing["n"][0]), n=n,
        )  # fmt: skip
    if in_process:
        return _totals_in_process(joined, names)
    return {name: table[name].to_numpy() for name in ("n", *names)}


def _totals_in_process(joined: Lazy, names: Sequence[str]) -> dict[str, np.ndarray]:
    """As `_clustered`; the order of the queries does not show in the last digit."""
    frame = joined.collect()
    codes = frame[CLUSTER].rank("dense").cast(nw.Int64).to_numpy()
    totals = {name: cluster_totals(frame[name].to_numpy(), codes) for name in names}
    counts = np.unique(codes, return_counts=True)[1]
    return {"n": counts, **{name: total for name, (total, _) in totals.items()}}


def _with_clusters(
    means: Mapping[str, Score],
    measures: Sequence[Measure],
    found: Mapping[str, np.ndarray],
    *,
    level: float,
) -> dict[str, Score]:
    """The means with the intervals that clusters give; clusters of one question change nothing."""
    if not len(found["n"]) or found["n"].max() == 1:
        return dict(means)
    clustered: dict[str, Score] = {}
    for name, measure in names_of(measures).items():
        bounds = interval_from_cluster_totals(found[name], found["n"], level=level)
        clustered[measure.name] = replace(
            means[measure.name], low=bounds.low, high=bounds.high, method=bounds.method
        )
    return clustered
