"""A benchmark on the terminal: the configurations, best first, with what their contexts cost."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from tophit.benching import BenchResult, BenchRow
from tophit.errors import counted
from tophit.evaluation.results import Remark, remarks_by_name
from tophit.measures import parse_measures
from tophit.report.summary import heading
from tophit.report.tables import Column, score_column, stacked
from tophit.report.terminal import title, warning_lines

SKIPPED = "documents_skipped"  # the files are listed one by one instead


def bench_view(
    found: BenchResult, *, level: float, width: int, kept: bool = True, window: int | None = None
) -> RenderableType:
    """The ranked table, the files that were skipped, the warnings, and where everything is kept."""
    results = [row.result for row in found.rows]
    read = counted(found.documents, "document")
    what = f"{read}, {heading(results, noun='configurations')}"
    names = Column("configuration", [row.name for row in found.rows], numbers=False)
    columns = [score_column(measure, results) for measure in results[0].measures]
    columns += [
        Column("chunks", [f"{row.chunks:,}" for row in found.rows]),
        Column("tokens", [f"{row.context_tokens:,.0f}" for row in found.rows]),
    ]
    if window is not None:
        shares = [_share(row, window) for row in found.rows]
        columns.append(Column("window", shares))
    parts: list[RenderableType] = [title(what, width=width), Text()]
    for table in stacked(names, columns, width=width):
        parts += [table, Text()]
    parts.append(Text(_legend(found, level, kept=kept, window=window), style="dim"))
    for name, reason in found.skipped:
        parts.append(Text(f"skipped: {name} ({reason})", style="yellow"))
    everywhere = [Remark(run=None, warning=w) for w in found.warnings if w.code != SKIPPED]
    own = remarks_by_name([(row.name, row.warnings) for row in found.rows])
    parts += warning_lines([*everywhere, *own])
    return Group(*parts)


def _share(row: BenchRow, window: int) -> str:
    """How much of the window the first k chunks take: the mean, and below it the maximum."""
    most = f"max {100 * row.max_context_tokens / window:.1f} %"
    return f"{100 * row.context_tokens / window:.1f} %\n{most}"


def _legend(found: BenchResult, level: float, *, kept: bool, window: int | None) -> str:
    said = [
        f"Best first. In brackets: {100 * level:g} % intervals.",
        f"tokens: the first {found.k} chunks together, the mean over the questions.",
    ]
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
