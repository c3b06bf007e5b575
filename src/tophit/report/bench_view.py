"""A benchmark on the terminal: the configurations, best first, with what their contexts cost."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from tophit.bench import BenchResult
from tophit.report.summary import heading
from tophit.report.tables import Column, score_column, stacked
from tophit.report.terminal import warning_lines
from tophit.several import Remark, remarks_by_name

SKIPPED = "documents_skipped"  # the files are listed one by one instead


def bench_view(
    found: BenchResult, *, level: float, width: int, kept: bool = True
) -> RenderableType:
    """The ranked table, the files that were skipped, the warnings, and where everything is kept."""
    results = [row.result for row in found.rows]
    read = f"{found.documents:,} document{'' if found.documents == 1 else 's'}"
    what = f"{read}, {heading(results, noun='configurations')}"
    names = Column("configuration", [row.name for row in found.rows], numbers=False)
    columns = [score_column(measure, results) for measure in results[0].measures]
    columns += [
        Column("chunks", [f"{row.chunks:,}" for row in found.rows]),
        Column("tokens", [f"{row.context_tokens:,.0f}" for row in found.rows]),
    ]
    parts: list[RenderableType] = [Text(what, style="bold"), Text()]
    for table in stacked(names, columns, width=width):
        parts += [table, Text()]
    parts.append(Text(_legend(found, level, kept=kept), style="dim"))
    for name, reason in found.skipped:
        parts.append(Text(f"skipped: {name} ({reason})", style="yellow"))
    everywhere = [Remark(run=None, warning=w) for w in found.warnings if w.code != SKIPPED]
    own = remarks_by_name([(row.name, row.warnings) for row in found.rows])
    parts += warning_lines([*everywhere, *own])
    return Group(*parts)


def _legend(found: BenchResult, level: float, *, kept: bool) -> str:
    said = (
        f"Best first. In brackets: {100 * level:g} % intervals. tokens: the first {found.k} chunks "
        "together, the mean over the questions."
    )
    return f"{said} Everything is in {found.folder}." if kept else said
