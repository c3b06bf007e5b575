"""An evaluation on the terminal: who was counted, the scores, what to know about them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from tophit.evaluation.result import Result
from tophit.evaluation.results import Remark, remarks
from tophit.report.slices_view import slice_views
from tophit.report.summary import bounds, heading, number
from tophit.report.tables import Column, score_column, stacked
from tophit.report.visible import visible

_GLUE = "\x1f"


class Visible:
    """Content whose control characters are shown, not sent: only the styles are codes."""

    def __init__(self, content: RenderableType) -> None:
        self.content = content

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        """Give what the content gives, its texts cleaned."""
        for text, style, control in console.render(self.content, options):
            yield Segment(visible(text), style, control)


def evaluation(
    results: Sequence[Result],
    *,
    level: float,
    width: int,
    said: Sequence[str] = (),
) -> RenderableType:
    """One or more runs on the same questions, for a terminal of `width` places.

    One run: a row a measure. Several: a row a run, a column a measure, as many tables as needed.
    Lines that are `said` of them stand below, then the warnings.
    """
    legend: list[RenderableType] = []
    if len(results) == 1:
        tables = [_one_run(results[0], level=level)]
    else:
        tables = _several_runs(results, width=width)
        legend = [Text(f"In brackets: {100 * level:g} % intervals.", style="dim")]
    parts: list[RenderableType] = [title(heading(results), width=width), Text()]
    for table in tables:
        parts += [table, Text()]
    parts += slice_views(results, width=width)
    told = [Text(line) for line in said]
    return Group(*parts, *told, *legend, *warning_lines(remarks(results)))


def _one_run(result: Result, *, level: float) -> Table:
    scores = list(result.measures.values())
    columns = [
        Column("value", [number(score.value) for score in scores], style="bold"),
        Column(f"{100 * level:g} % interval", [bounds(score) for score in scores]),
        Column("n", [f"{score.n:,}" for score in scores]),
    ]
    return stacked(Column("measure", list(result.measures), numbers=False), columns, width=10**6)[0]


def _several_runs(results: Sequence[Result], *, width: int) -> list[Table]:
    columns = [score_column(measure, results) for measure in results[0].measures]
    names = Column("run", [result.name for result in results], numbers=False)
    n = Column("n", [f"{max((s.n for s in r.measures.values()), default=0):,}" for r in results])
    return stacked(names, [*columns, n], width=width)


def title(text: str, *, width: int) -> Text:
    """A heading that breaks between words, but never within `k = 4`.

    >>> title("one two three, k = 4", width=18).plain
    'one two three,\\nk = 4'
    """
    glued = text.replace(" = ", f"{_GLUE}={_GLUE}")
    lines = textwrap.wrap(glued, width, break_long_words=False, break_on_hyphens=False)
    return Text("\n".join(lines).replace(_GLUE, " "), style="bold")


def warning_lines(found: Sequence[Remark]) -> list[RenderableType]:
    """One paragraph a warning."""
    return [Text.assemble(("warning: ", "yellow"), remark.text) for remark in found]
