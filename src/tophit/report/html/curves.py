"""The pictures of an evaluation: hits over k, ranks of the first hits, scores and the threshold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from tophit.abstaining import separation
from tophit.errors import counted
from tophit.relations import QUERY, SCORE
from tophit.report.html.charts import Chart, Series, histogram
from tophit.report.html.detail import DEEPEST, Detail
from tophit.report.sentences import percent
from tophit.statistics import interval_from_sums

_RUNS = 8
_BANDS = 2  # of more runs the bands would hide each other


def evaluation_charts(details: Sequence[Detail], *, level: float) -> list[Chart]:
    """What can be drawn of these runs; nothing where no question counts."""
    known = [detail for detail in details if detail.values.height]
    if not known:
        return []
    charts = [_hits(known[0], level=level)] if len(known) == 1 else [_runs(known, level=level)]
    for detail in known[:_BANDS]:
        charts += [_first_ranks(detail, several=len(known) > 1)]
        charts += _scores(detail, level=level, several=len(known) > 1)
    return charts


@dataclass(frozen=True, kw_only=True)
class _Over:
    """A share over k with its interval."""

    values: list[float]
    low: list[float | None]
    high: list[float | None]


def _depth(details: Sequence[Detail]) -> int:
    longest = [int(detail.retrieved["n"].max() or 1) for detail in details]  # type: ignore[arg-type]
    return max(details[0].result.k, min(DEEPEST, *longest, DEEPEST))


def _over_k(detail: Detail, column: str, *, depth: int, level: float) -> _Over:
    ranked = detail.ranks.join(detail.values.select(QUERY), on=QUERY, how="semi")
    ranks, n = ranked[column], detail.values.height
    found = [int((ranks <= k).sum()) for k in range(1, depth + 1)]
    bounds = [interval_from_sums(hits, hits, n, binary=True, level=level) for hits in found]
    return _Over(
        values=[hits / n for hits in found],
        low=[each.low for each in bounds],
        high=[each.high for each in bounds],
    )


def _hits(detail: Detail, *, level: float) -> Chart:
    depth, k = _depth([detail]), detail.result.k
    columns: dict[str, list[float | None]] = {"k": list(range(1, depth + 1))}
    series = []
    names = [("Hit@k", "first", 0)]
    if detail.result.match != "ids":
        names.insert(0, ("Partial@k", "half", 1))
    for name, column, colour in names:
        over = _over_k(detail, column, depth=depth, level=level)
        columns |= {name: list(over.values), f"{name} low": over.low, f"{name} high": over.high}
        series.append(Series(column=name, low=f"{name} low", high=f"{name} high", colour=colour))
    ceiling = detail.result.measures.get("Ceiling")
    if ceiling is not None and ceiling.n:
        columns["Ceiling"] = [ceiling.value] * depth
        series.append(Series(column="Ceiling", style="dashed", colour=3))
    tokens = list(detail.tokens[:depth])
    if len(tokens) == depth:
        columns["tokens"] = list(tokens)
        series.append(Series(column="tokens", style="dashed", colour=2, right=True))
    return Chart(
        title="What a larger k brings",
        said=_said(columns["Hit@k"], k=k),
        columns=columns,
        series=series,
        right="tokens" if "tokens" in columns else None,
        mark=(k, f"k = {k}"),
    )


def _said(values: Sequence[float | None], *, k: int) -> str:
    at, last = values[k - 1] or 0.0, values[-1] or 0.0
    said = f"Hit is {percent(at)} at k = {k}"
    if len(values) == k:
        return f"{said}, which is as far as the lists go."
    return f"{said} and {percent(last)} at k = {len(values)}."


def _runs(details: Sequence[Detail], *, level: float) -> Chart:
    depth, k = _depth(details), details[0].result.k
    columns: dict[str, list[float | None]] = {"k": list(range(1, depth + 1))}
    series = []
    for number, detail in enumerate(details[:_RUNS]):
        name = detail.result.name
        over = _over_k(detail, "first", depth=depth, level=level)
        columns |= {name: list(over.values), f"{name} low": over.low, f"{name} high": over.high}
        banded = len(details) <= _BANDS
        series.append(
            Series(
                column=name, low=f"{name} low" if banded else None,
                high=f"{name} high" if banded else None, colour=number,
            )
        )  # fmt: skip
    best = max(series, key=lambda each: columns[each.column][k - 1] or 0.0).column
    return Chart(
        title="Hit@k over k, run by run",
        said=f"At k = {k} {best} finds most: {percent(columns[best][k - 1] or 0.0)}.",
        columns=columns,
        series=series,
        mark=(k, f"k = {k}"),
    )


def _first_ranks(detail: Detail, *, several: bool) -> Chart:
    depth, k = _depth([detail]), detail.result.k
    ranked = detail.ranks.join(detail.values.select(QUERY), on=QUERY, how="semi")["first"]
    counts = [int((ranked == rank).sum()) for rank in range(1, depth + 1)]
    ranks = range(1, depth + 1)
    within = [n if rank <= k else None for rank, n in zip(ranks, counts, strict=True)]
    beyond = [n if rank > k else None for rank, n in zip(ranks, counts, strict=True)]
    missing = detail.values.height - sum(counts)
    whose = f": {detail.result.name}" if several else ""
    return Chart(
        title=f"Where the first hit stands{whose}",
        said=f"{counted(sum(counts[:k]), 'question')} within k = {k}, "
        f"{sum(counts[k:]):,} further down, {missing:,} nowhere in the first {depth}.",
        columns={"rank": list(ranks), "within k": within, "beyond k": beyond},
        series=[
            Series(column="within k", style="bars", colour=0),
            Series(column="beyond k", style="bars", colour=2),
        ],
        scale="count",
        mark=(k + 0.5, f"k = {k}"),
    )


def _scores(detail: Detail, *, level: float, several: bool) -> Iterator[Chart]:
    """The best score of answerable and unanswerable questions, and what separates them best."""
    unanswerable = set(detail.diagnosis.unanswerable)
    if SCORE not in detail.places.columns or not unanswerable:
        return
    best = detail.places.drop_nulls(SCORE).group_by(QUERY).agg(pl.col(SCORE).max()).sort(QUERY)
    without = best.filter(pl.col(QUERY).is_in(list(unanswerable)))[SCORE].to_list()
    having = best.filter(pl.col(QUERY).is_in(detail.values[QUERY].implode()))[SCORE].to_list()
    if len(without) < 2 or len(having) < 2:
        return
    found = separation(having, without, level=level)
    middles, counts = histogram({"answerable": having, "unanswerable": without})
    said = (
        f"An answerable question scores higher than an unanswerable one in {percent(found.area)} "
        f"of pairs; {'the best threshold is' if found.separates else 'no threshold separates them'}"
    )
    said += f" {found.best.threshold:.3g}." if found.separates else "."
    whose = f": {detail.result.name}" if several else ""
    yield Chart(
        title=f"Best scores, with and without an answer{whose}",
        said=said,
        columns={"score": middles, **{name: list(values) for name, values in counts.items()}},
        series=[
            Series(column="answerable", style="bars", colour=0),
            Series(column="unanswerable", style="bars", colour=4),
        ],
        scale="count",
        mark=(found.best.threshold, "threshold") if found.separates else None,
        whole_x=False,
    )
