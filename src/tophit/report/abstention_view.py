"""Abstention and thresholds on the terminal and as JSON."""

from __future__ import annotations

import polars as pl
from rich.console import Group, RenderableType
from rich.text import Text

from tophit.abstaining import Abstention, Rate, Separation
from tophit.evaluation.results import Remark
from tophit.report.summary import number
from tophit.report.tables import Column, stacked
from tophit.report.terminal import warning_lines

# Recall is the abstention rate, so it has no row of its own.
_LABELS = {
    "abstention_rate": "abstention rate (recall)",
    "over_refusal_rate": "over-refusal rate",
    "precision": "precision",
    "f1": "F1",
    "balanced_accuracy": "balanced accuracy",
}


def abstention_view(found: Abstention, *, name: str, width: int) -> RenderableType:
    """The 2 x 2 table, the rates with their intervals and bases, and the warnings."""
    unanswerable, answerable = found.right + found.unsupported, found.over_refusals + found.answered
    asked = f"{name}: {answerable:,} answerable, {unanswerable:,} unanswerable questions"
    share = f"(base rate {number(found.base_rate, 3)})"
    counts = stacked(
        Column("question", ["unanswerable", "answerable"], numbers=False),
        [
            Column(
                "abstained", [f"{found.right:,} right", f"{found.over_refusals:,} over-refusal"]
            ),
            Column("answered", [f"{found.unsupported:,} unsupported", f"{found.answered:,}"]),
        ],
        width=width,
    )  # fmt: skip
    listed = [(label, found.rates[name]) for name, label in _LABELS.items()]
    rates = stacked(
        Column("rate", [label for label, _ in listed], numbers=False),
        [
            Column("value", [number(rate.value) for _, rate in listed]),
            Column(f"{100 * found.level:g} % interval", [_bounds(rate) for _, rate in listed]),
            Column("n", [f"{rate.n:,}" for _, rate in listed]),
            Column("at random", ["" if r.base is None else number(r.base, 3) for _, r in listed]),
        ],
        width=width,
    )
    parts: list[RenderableType] = [Text(f"{asked} {share}", style="bold"), Text()]
    for table in (*counts, *rates):
        parts += [table, Text()]
    remarks = [Remark(run=None, warning=warning) for warning in found.warnings]
    return Group(*parts[:-1], *([Text()] if remarks else []), *warning_lines(remarks))


def threshold_view(
    found: Separation, *, name: str, level: float, rows: int, width: int
) -> RenderableType:
    """The area under the curve, what it means, and some thresholds with what they cost."""
    asked = f"{found.n_answerable:,} answerable, {found.n_unanswerable:,} unanswerable questions"
    area = (
        f"Area under the ROC curve: {number(found.area)} [{found.low:.3f}, {found.high:.3f}] "
        f"({100 * level:g} % interval; 0.5 is chance)"
    )
    shown = _some(found, rows)
    hit = f"Hit@{found.k}" if found.k else "hit"
    gain = shown["answered"] - shown["unsupported"]
    table = stacked(
        Column("threshold", [f"{each:.6g}" for each in shown["threshold"]]),
        [
            Column("answered", [number(each, 3) for each in shown["answered"]]),
            Column("unsupported", [number(each, 3) for each in shown["unsupported"]]),
            Column("difference", [number(each, 3) for each in gain]),
            Column(hit, [number(each, 3) for each in shown["hit"]]),
            Column("cost", [number(found.hit - each, 3) for each in shown["hit"]]),
            Column("", ["<- best" if t == found.best.threshold else "" for t in shown["threshold"]],
                   numbers=False),
        ],
        width=width,
    )  # fmt: skip
    return Group(
        Text(f"{name}: {asked}", style="bold"), Text(), Text(area), Text(), *table, Text(),
        Text(_advice(found)),
    )  # fmt: skip


def _advice(found: Separation) -> str:
    if not found.separates:
        return (
            "The scores do not tell the two kinds of questions apart: no threshold is worth what "
            "it costs."
        )
    best = found.best
    return (
        f"A threshold of {best.threshold:.6g} answers {100 * best.answered:.0f} % of the "
        f"answerable and {100 * best.unsupported:.0f} % of the unanswerable questions, and takes "
        f"{best.cost:.3f} from the hits."
    )


def _some(found: Separation, rows: int) -> pl.DataFrame:
    """The best threshold, and others evenly chosen from the list, falling."""
    points = found.points.with_row_index("_row")
    best = points.filter(pl.col("threshold") == found.best.threshold)["_row"].to_list()
    last = points.height - 1
    even = [round(last * step / max(rows - 2, 1)) for step in range(max(rows - 1, 1))]
    kept = sorted({*best, *even}) if rows > 1 else best
    return points.filter(pl.col("_row").is_in(kept)).drop("_row")


def _bounds(rate: Rate) -> str:
    if rate.low is None or rate.high is None:
        return "no questions"
    return f"[{rate.low:.3f}, {rate.high:.3f}]"
