"""A benchmark on the terminal: the configurations, best first, with what their contexts cost.

One table for a terminal of 80 places: the measure that decides with its interval, the others in
pairs, one above the other, and below each name whether the gap to the best is real.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from tophit.benching import BenchResult, BenchRow
from tophit.errors import counted
from tophit.evaluation.results import Remark, remarks_by_name
from tophit.measures import parse_measures
from tophit.report.summary import heading, number, short_bounds
from tophit.report.tables import Column, stacked
from tophit.report.terminal import title, warning_lines

SKIPPED = "documents_skipped"  # the files are listed one by one instead
_NONE = "-"
_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def bench_view(
    found: BenchResult, *, level: float, width: int, kept: bool = True, window: int | None = None
) -> RenderableType:
    """The ranked table, the files that were skipped, the warnings, and where everything is kept."""
    results = [row.result for row in found.rows]
    read = counted(found.documents, "document")
    what = f"{read}, {heading(results, noun='configurations')}"
    names = Column("configuration", [_named(row) for row in found.rows], numbers=False)
    parts: list[RenderableType] = [title(what, width=width), Text()]
    for table in stacked(names, _columns(found, window), width=width):
        parts += [table, Text()]
    parts.append(Text(_legend(found, level, kept=kept, window=window), style="dim"))
    for name, reason in found.skipped:
        parts.append(Text(f"skipped: {name} ({reason})", style="yellow"))
    everywhere = [Remark(run=None, warning=w) for w in found.warnings if w.code != SKIPPED]
    own = remarks_by_name(
        [(row.name, [w for w in row.warnings if w not in found.warnings]) for row in found.rows]
    )
    parts += warning_lines([*everywhere, *own])
    return Group(*parts)


def _named(row: BenchRow) -> str:
    """The name, and below it whether the gap to the best is more than chance."""
    versus = row.versus_best
    if versus is None:
        return row.name
    p = f"p {versus.p_holm:.3f}".replace("0.", ".") if versus.p_holm >= 0.0005 else "p < .001"
    return f"{row.name}\n{'worse' if versus.significant else '= best'}, {p}"


def _columns(found: BenchResult, window: int | None) -> list[Column]:
    rows = found.rows
    measures = list(dict.fromkeys(name for row in rows for name in row.result.measures))
    deciding = Column(found.deciding, [_with_interval(row, found.deciding) for row in rows])
    others = [name for name in measures if name != found.deciding]
    paired = [
        _pair(
            name if below is None else f"{name}\n{below}",
            [(_value(row, name), "" if below is None else _value(row, below)) for row in rows],
        )
        for name, below in _in_pairs(others)
    ]
    costs = [
        _pair("tokens\nchunks", [(f"{r.context_tokens:,.0f}", _count(r.chunks)) for r in rows]),
        _pair("ms\nindex", [(_milliseconds(row), _bytes(row.index_bytes)) for row in rows]),
    ]
    shares = [] if window is None else [Column("window", [_share(row, window) for row in rows])]
    return [deciding, *paired, *costs, *shares]


def _in_pairs(names: Sequence[str]) -> list[tuple[str, str | None]]:
    return [
        (names[at], names[at + 1] if at + 1 < len(names) else None)
        for at in range(0, len(names), 2)
    ]


def _pair(name: str, cells: Sequence[tuple[str, str]]) -> Column:
    return Column(name, [f"{above}\n{below}" if below else above for above, below in cells])


def _with_interval(row: BenchRow, measure: str) -> str:
    score = row.result.measures[measure]
    return f"{number(score.value)}\n{short_bounds(score)}"


def _value(row: BenchRow, measure: str) -> str:
    if measure not in row.result.measures:
        return _NONE
    return number(row.result.measures[measure].value)


def _count(chunks: int | None) -> str:
    return _NONE if chunks is None else f"{chunks:,}"


def _milliseconds(row: BenchRow) -> str:
    return f"{row.latency_ms['p50']:,.1f}" if "p50" in row.latency_ms else _NONE


def _bytes(size: int | None) -> str:
    if size is None:
        return _NONE
    factor, name = next(((f, n) for f, n in _UNITS if size >= f), (1.0, "B"))
    return f"{size / factor:.3g} {name}"


def _share(row: BenchRow, window: int) -> str:
    """How much of the window the first k chunks take: the mean, and below it the maximum."""
    most = f"max {100 * row.max_context_tokens / window:.1f} %"
    return f"{100 * row.context_tokens / window:.1f} %\n{most}"


def _legend(found: BenchResult, level: float, *, kept: bool, window: int | None) -> str:
    said = [f"Best {found.deciding} first. In brackets: {100 * level:g} % intervals."]
    if len(found.rows) > 1:
        said.append("= best: the gap to the first is not more than chance (p, corrected for all).")
    said.append(
        f"tokens: the first {found.k} chunks together, the mean over the questions. "
        "ms: half of the questions took less."
    )
    measures = [parse_measures(name)[0] for name in found.rows[0].result.measures]
    for cutoff in dict.fromkeys(each.cutoff for each in measures if each.cutoff):
        if cutoff.unit == "tok":
            said.append(f"@{cutoff}: the first chunks that fit into {cutoff.value:,} tokens.")
    if any(each.definition.name == "Ceiling" for each in measures):
        said.append("Ceiling: what no retriever can exceed with these chunks.")
    if window is not None:
        said.append(f"window: the tokens as a share of {window:,}.")
    if kept:
        said.append(f"Everything is in {found.folder}.")
    return " ".join(said)
