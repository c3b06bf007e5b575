"""A curve of Hit@k on the terminal: what each further place buys, and what it costs."""

from __future__ import annotations

import polars as pl
from rich.console import Group, RenderableType
from rich.text import Text

from tophit.comparison.difference import signed
from tophit.errors import counted
from tophit.evaluation.curve import GAIN, HIGH, LOW, TOKENS_MAX, TOKENS_MEAN, VALUE, Curve, K
from tophit.evaluation.results import Remark
from tophit.report.summary import number
from tophit.report.tables import Column, stacked
from tophit.report.terminal import warning_lines

_BAR = 20
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def curve_view(found: Curve, *, window: int | None, width: int) -> RenderableType:
    """A row a k: Hit@k with a bar, its interval, what the place adds, and the tokens."""
    points = found.points
    asked = counted(found.n, "question")
    parts: list[RenderableType] = [
        Text(f"{found.name}: {asked}, matched by {found.match}", style="bold"),
        Text(),
        *stacked(Column("k", [str(k) for k in points[K]]), _columns(found, window), width=width),
        Text(),
        Text(_legend(found, window), style="dim"),
    ]
    return Group(*parts, *warning_lines([Remark(run=None, warning=w) for w in found.warnings]))


def bar(value: float, *, width: int = _BAR) -> str:
    """A bar for a value in [0, 1], in eighths of a place.

    >>> bar(0.5, width=4), bar(1.0, width=2), bar(0.0)
    ('██', '██', '')
    """
    eighths = round(value * width * 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "")


def _columns(found: Curve, window: int | None) -> list[Column]:
    points = found.points
    columns = [
        Column("Hit@k", [number(value) for value in points[VALUE]]),
        Column("", [bar(value).ljust(_BAR) for value in points[VALUE]], numbers=False),
        Column(
            "interval",
            [
                "no questions" if low is None else f"[{low:.3f}, {high:.3f}]"
                for low, high in points.select(LOW, HIGH).iter_rows()
            ],
        ),
        Column("gain", [signed(gain) for gain in points[GAIN]]),
    ]
    if points[TOKENS_MEAN].null_count():
        return columns
    columns.append(Column("tokens", [f"{tokens:,.0f}" for tokens in points[TOKENS_MEAN]]))
    columns.append(Column("most", [f"{tokens:,}" for tokens in points[TOKENS_MAX]]))
    if window is not None:
        shares = points.select((pl.col(TOKENS_MEAN) / window).alias("share"))["share"]
        columns.append(Column("window", [f"{100 * share:.1f} %" for share in shares]))
    return columns


def _legend(found: Curve, window: int | None) -> str:
    said = f"gain: what the k-th place adds. interval: {100 * found.level:g} %."
    if found.points[TOKENS_MEAN].null_count():
        return f"{said} The run has neither tokens nor texts, so there are no costs."
    said += " tokens, most: the first k chunks together, mean and maximum over the questions."
    if window is not None:
        said += f" window: the mean as a share of {window:,} tokens."
    return said
