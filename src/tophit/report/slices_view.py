"""Slices: a table a field, a row a slice, for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import RenderableType
from rich.text import Text

from tophit.errors import counted
from tophit.evaluation.result import Result, Slice
from tophit.evaluation.slices import FEW
from tophit.report.summary import number, short_bounds
from tophit.report.tables import Column, stacked


@dataclass(frozen=True, kw_only=True)
class SliceTable:
    """The slices of one run by one field."""

    title: str
    slices: Sequence[Slice]

    @property
    def measures(self) -> list[str]:
        """The measures that the slices have."""
        return list(self.slices[0].measures)

    def cells(self, measure: str, *, between: str) -> list[str]:
        """A measure of every slice: the value, and its interval."""
        scores = [each.measures[measure] for each in self.slices]
        return [f"{number(score.value)}{between}{short_bounds(score)}" for score in scores]

    @property
    def counts(self) -> list[str]:
        """The questions of every slice."""
        return [f"{each.n:,}" for each in self.slices]

    @property
    def labels(self) -> list[str]:
        """The names of the slices."""
        return [each.label for each in self.slices]


def slice_tables(results: Sequence[Result]) -> list[SliceTable]:
    """The tables of all runs; a run is named where there are several.

    >>> import tophit
    >>> asked = [{"id": "q", "expected": ["a b"], "tags": {"topic": "x"}}]
    >>> result = tophit.evaluate(asked, [{"id": "q", "retrieved": [{"text": "a b"}]}], by="topic")
    >>> [table.title for table in slice_tables([result])]
    ['by topic']
    """
    tables = []
    for result in results:
        of = f"{result.name}, " if len(results) > 1 else ""
        for field in dict.fromkeys(each.field for each in result.slices):
            slices = [each for each in result.slices if each.field == field]
            tables.append(SliceTable(title=f"{of}by {field}", slices=slices))
    return tables


def few_said(results: Sequence[Result]) -> str:
    """A sentence on slices of few questions; empty where there are none."""
    few = dict.fromkeys(each.name for r in results for each in r.slices if each.n < FEW)
    if not few:
        return ""
    return (
        f"{counted(len(few), 'slice')} of fewer than {FEW} questions: read the intervals, a "
        "difference between such slices shows little."
    )


def slice_views(results: Sequence[Result], *, width: int) -> Iterator[RenderableType]:
    """The tables for a terminal of `width` places, each below its title."""
    for table in slice_tables(results):
        yield Text(table.title, style="bold")
        columns = [Column(name, table.cells(name, between="\n")) for name in table.measures]
        first = Column("slice", table.labels, numbers=False)
        for each in stacked(first, [*columns, Column("n", table.counts)], width=width):
            yield each
            yield Text()
    if said := few_said(results):
        yield Text(said)
        yield Text()
