"""Tables for a terminal of any width: numbers in line, wide characters counted as two places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from tophit.evaluation.result import Result
from tophit.report.summary import number, short_bounds
from tophit.report.visible import visible

_GAP = 2  # one of them is the box's own
_NAME_SHARE = 3


@dataclass(frozen=True)
class Column:
    """A title and its cells; `numbers` stand to the right."""

    title: str
    cells: Sequence[str]
    numbers: bool = True
    style: str | None = None

    @property
    def width(self) -> int:
        """How many places the widest cell takes.

        >>> Column("run", ["bm25", "検索"]).width
        4
        """
        lines = [line for cell in (self.title, *self.cells) for line in cell.splitlines()]
        return max(cell_len(line) for line in lines)


def score_column(measure: str, results: Sequence[Result]) -> Column:
    """A measure of several runs: the value, and below it the interval.

    >>> import tophit
    >>> score_column("MRR", [tophit.evaluate({"q": ["a"]}, {"q": ["a"]}, measures="MRR")]).cells
    ['1.0000\\n[.000, 1.00]']
    """
    cells = [
        f"{number(r.measures[measure].value)}\n{short_bounds(r.measures[measure])}" for r in results
    ]
    return Column(measure, cells)


def stacked(first: Column, rest: Sequence[Column], *, width: int) -> list[Table]:
    """Tables that together hold all columns, each no wider than `width`, each with `first`.

    Names are as wide as they are, where two columns still stand beside them; else they are cut in
    the middle.
    """
    first, *rest = map(_visible, (first, *rest))
    widest = sorted(column.width + _GAP for column in rest)[-2:]
    name_width = min(first.width, max(width - sum(widest), width // _NAME_SHARE, 12))
    first = replace(first, cells=_shortened(first.cells, name_width))
    groups: list[list[Column]] = []
    left = 0
    for column in rest:
        needed = column.width + _GAP
        if not groups or needed > left:
            groups.append([])
            left = width - name_width
        groups[-1].append(column)
        left -= needed
    return [_table(first, group, name_width=name_width) for group in groups]


def _shortened(names: Sequence[str], width: int) -> Sequence[str]:
    """The names, cut in the middle where they are too long; as they are if two became one.

    What stands below a name is cut apart from it.

    >>> _shortened(["recursive-400-bm25", "bm25\\n= best, p .051"], 12)
    ['recurs…-bm25', 'bm25\\n= best… .051']
    >>> _shortened(["a1b", "a2b"], 2)
    ['a1b', 'a2b']
    """
    cut = ["\n".join(middle_cut(line, width) for line in name.split("\n")) for name in names]
    return cut if len(set(cut)) == len(set(names)) else names


def middle_cut(name: str, width: int) -> str:
    """A name in at most `width` places of a terminal, its beginning and its end kept.

    >>> middle_cut("recursive-400-bm25", 11), middle_cut("bm25", 11)
    ('recur…-bm25', 'bm25')
    """
    if cell_len(name) <= width:
        return name
    tail = (width - 1) // 2
    head = width - 1 - tail
    return f"{_fitting(name, head)}…{_fitting(name[::-1], tail)[::-1]}"


def _fitting(text: str, width: int) -> str:
    """As much of the beginning as fits."""
    end = 0
    while end < len(text) and cell_len(text[: end + 1]) <= width:
        end += 1
    return text[:end]


def _visible(column: Column) -> Column:
    """The column as it will be shown, so that its width is that of what is seen."""
    cells = [visible(cell) for cell in column.cells]
    return replace(column, title=visible(column.title), cells=cells)


def _table(first: Column, rest: Sequence[Column], *, name_width: int) -> Table:
    # The gap is part of the columns: versions of rich differ in how they pad the last one.
    table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False)
    table.add_column(first.title, overflow="fold", width=name_width, style=first.style)
    for column in rest:
        table.add_column(
            _cell(column.title, column),
            justify="right" if column.numbers else "left",
            no_wrap=True,
            width=column.width + _GAP - 1,
            style=column.style,
        )
    for name, *cells in zip(first.cells, *(column.cells for column in rest), strict=True):
        table.add_row(_cell(name, replace(first, numbers=True)), *map(_cell, cells, rest))
    return table


def _cell(text: str, column: Column) -> Text:
    """A cell; what stands below its first line is less important."""
    gap = "" if column.numbers else " " * (_GAP - 1)
    first, newline, below = text.partition("\n")
    return Text.assemble(gap + first, (newline + below, "dim"))
