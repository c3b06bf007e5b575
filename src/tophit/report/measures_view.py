"""The table of measures on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tophit.measures import MEASURES, Definition, parse_measures
from tophit.measures.table import FAMILIES
from tophit.report.measures_page import family_title, parameter_lines, properties


def listed() -> RenderableType:
    """All measures in their families: what each says of one question, and its aliases."""
    width = max(len(each.signature) for each in MEASURES.values())
    parts: list[RenderableType] = []
    for family in FAMILIES:
        parts.append(Text(family_title(family), style="bold"))
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(width=width)
        grid.add_column()
        for each in family.DEFINITIONS:
            grid.add_row(each.signature, _in_short(each))
        parts += [Padding(grid, (0, 0, 1, 2))]
    return Group(*parts, Text("'tophit measures NAME' explains one in full."))


def _in_short(definition: Definition) -> Text:
    text = Text(definition.summary)
    if definition.aliases:
        text.append(f"\nalso: {', '.join(definition.aliases)}", style="dim")
    return text


def explained(names: Sequence[str]) -> RenderableType:
    """Formula, values, parameters, aliases and source of each measure named.

    Errors: `tophit.UsageError` for an unknown name.
    """
    found = {measure.definition.name: measure.definition for measure in parse_measures(names)}
    parts = [part for definition in found.values() for part in _explained(definition)]
    return Group(*parts[:-1])


def _explained(definition: Definition) -> Iterator[RenderableType]:
    yield Text(definition.signature, style="bold")
    yield Padding(Text(definition.summary), (0, 0, 1, 2))
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style="dim", min_width=len("parameter"))
    grid.add_column()
    grid.add_row("formula", definition.formula)
    grid.add_row("values", properties(definition))
    for line in parameter_lines(definition):
        grid.add_row("parameter", line)
    if definition.aliases:
        grid.add_row("aliases", ", ".join(definition.aliases))
    grid.add_row("source", definition.reference)
    yield Padding(grid, (0, 0, 0, 2))
    yield Text()
