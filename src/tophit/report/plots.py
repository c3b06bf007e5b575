"""Charts of results for notebooks, by Altair (the extra `plot`): to look at, or to change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from tophit.benching import BenchResult
from tophit.checking import CheckReport
from tophit.comparison import Comparison
from tophit.diagnosis import Diagnosis
from tophit.errors import import_extra
from tophit.evaluation.curve import Curve
from tophit.evaluation.result import Result
from tophit.report.comparison_output import comparison_frame
from tophit.report.frames import summary_frame

_SHARE = ".0%"


def _altair() -> Any:
    return import_extra("altair", extra="plot", purpose="a chart")


def _intervals(frame: pl.DataFrame, *, value: str, row: str, title: str, share: bool) -> Any:
    """A point and its interval a row."""
    alt = _altair()
    scale = alt.Scale(domain=[0, 1]) if share else alt.Undefined
    x = alt.X(f"{value}:Q", title=title, axis=alt.Axis(format=_SHARE), scale=scale)
    base = alt.Chart(frame).encode(y=alt.Y(f"{row}:N", sort=None, title=None))
    bars = base.mark_rule(strokeWidth=3, opacity=0.4).encode(
        x=alt.X("low:Q", title=title, scale=scale), x2="high:Q"
    )
    return bars + base.mark_point(filled=True, size=70).encode(x=x, tooltip=frame.columns)


def measures(found: Result) -> Any:
    """The measures of a run with their intervals."""
    frame = summary_frame([found])
    return _intervals(frame, value="value", row="measure", title=found.name, share=True)


def differences(found: Comparison) -> Any:
    """The differences with their intervals, and a line at 0."""
    alt = _altair()
    frame = comparison_frame(found).with_columns(
        pl.format("{} - {}: {}", "b", "a", "measure").alias("pair")
    )
    zero = alt.Chart(pl.DataFrame({"x": [0.0]})).mark_rule(strokeDash=[4, 4]).encode(x="x:Q")
    shown = _intervals(frame, value="difference", row="pair", title="difference", share=False)
    return zero + shown


def _counts(counts: Mapping[str, int], *, row: str) -> Any:
    """A bar a name."""
    alt = _altair()
    columns = {row: pl.String, "count": pl.Int64}
    frame = pl.DataFrame(list(counts.items()), schema=columns, orient="row")
    y = alt.Y(f"{row}:N", sort=None, title=None)
    return alt.Chart(frame).mark_bar().encode(
        x=alt.X("count:Q", axis=alt.Axis(tickMinStep=1)), y=y, tooltip=frame.columns
    )  # fmt: skip


def outcomes(found: Diagnosis) -> Any:
    """How many questions have each outcome."""
    counts = {name: count for name, count in found.totals.items() if count}
    return _counts(counts, row="outcome")


def findings(found: CheckReport) -> Any:
    """How many findings each code has."""
    return _counts(found.counts, row="code")


def over_k(found: Curve) -> Any:
    """Hit@k over k with its band."""
    alt = _altair()
    base = alt.Chart(found.points).encode(x=alt.X("k:Q", axis=alt.Axis(tickMinStep=1)))
    band = base.mark_area(opacity=0.2).encode(y=alt.Y("low:Q", title="Hit@k"), y2="high:Q")
    y = alt.Y(
        "value:Q", title="Hit@k", axis=alt.Axis(format=_SHARE), scale=alt.Scale(domain=[0, 1])
    )
    return band + base.mark_line(point=True).encode(y=y, tooltip=found.points.columns)


def configurations(found: BenchResult) -> Any:
    """The first measure of every configuration with its interval."""
    measure = next(iter(found.rows[0].result.measures))
    frame = found.table.select(
        "configuration",
        pl.col(measure).alias("value"),
        pl.col(f"{measure} low").alias("low"),
        pl.col(f"{measure} high").alias("high"),
    )
    return _intervals(frame, value="value", row="configuration", title=measure, share=True)
