"""Scores compared where they are: on DuckDB and Spark, from sums alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from tophit.comparison.difference import Difference, Pair, Sums, difference_from_sums
from tophit.comparison.scores import ROUNDING, Comparison, corrected, pairs_of
from tophit.errors import UsageError
from tophit.relations import QUERY

_OTHER = "query_id_b"


def compare_on_engine(
    frames: Mapping[str, Any],
    measures: Sequence[str],
    binary: set[str],
    *,
    baseline: str | None,
    level: float,
) -> Comparison:
    """Compare lazy frames of scores on DuckDB or Spark from their sums; no question is collected.

    Errors: `UsageError` where two runs do not have the same questions.
    """
    pairs, chosen = pairs_of(list(frames), baseline)
    found: list[Difference] = []
    counts: set[int] = set()
    for a, b in pairs:
        sums = _sums_on_engine(frames[a], frames[b], measures, names=(a, b))
        counts |= {one.n for one in sums.values()}
        found += [
            difference_from_sums(
                sums[name], Pair(a=a, b=b, measure=name, binary=name in binary, level=level)
            )
            for name in measures
        ]
    return Comparison(
        runs=tuple(frames), measures=tuple(measures), baseline=chosen, level=level,
        n=max(counts), differences=corrected(found, level=level),
    )  # fmt: skip


def _sums_on_engine(
    first: Any, second: Any, measures: Sequence[str], *, names: tuple[str, str]
) -> dict[str, Sums]:
    """One join and one aggregation for all measures; only the sums leave the engine."""
    left = first.rename({name: f"a{index}" for index, name in enumerate(measures)})
    right = second.rename({name: f"b{index}" for index, name in enumerate(measures)})
    joined = left.join(right.rename({QUERY: _OTHER}), left_on=QUERY, right_on=_OTHER, how="full")
    in_a, in_b = ~nw.col(QUERY).is_null(), ~nw.col(_OTHER).is_null()
    columns = [
        flag.cast(nw.Int64).sum().alias(name)
        for name, flag in (("n", in_a & in_b), ("n_a", in_a), ("n_b", in_b))
    ]
    columns += [each for index in range(len(measures)) for each in _sums_of(index)]
    row = joined.select(*columns).collect().rows(named=True)[0]
    n = int(row["n"] or 0)
    for run, asked in zip(names, (row["n_a"], row["n_b"]), strict=True):
        if int(asked or 0) != n:
            raise UsageError(
                f"the runs were scored on different questions: {run} has {asked:,}, "
                f"{n:,} of them are common to {names[0]} and {names[1]}"
            )
    return {name: _read(row, index, n=n) for index, name in enumerate(measures)}


def _sums_of(index: int) -> list[nw.Expr]:
    """The sums of one measure, whose scores are the columns `a` and `b` with its number."""
    a, b = nw.col(f"a{index}"), nw.col(f"b{index}")
    d = nw.when((b - a).abs() < ROUNDING).then(nw.lit(0.0)).otherwise(b - a)
    found = {
        "total_a": a.sum(), "total_b": b.sum(),
        "wins": (d > 0).cast(nw.Int64).sum(), "losses": (d < 0).cast(nw.Int64).sum(),
        "total": d.sum(), "squares": (d * d).sum(),
    }  # fmt: skip
    return [expr.alias(f"{name}{index}") for name, expr in found.items()]


def _read(row: Mapping[str, Any], index: int, *, n: int) -> Sums:
    def value(name: str) -> float:
        return float(row[f"{name}{index}"] or 0.0)

    return Sums(
        n=n, total_a=value("total_a"), total_b=value("total_b"), wins=int(value("wins")),
        losses=int(value("losses")), total=value("total"), squares=value("squares"),
    )  # fmt: skip
