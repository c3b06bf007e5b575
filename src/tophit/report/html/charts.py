"""The pictures of a page: each is a table of numbers, and how to draw its columns.

The numbers stand in the page as a table to copy; the script draws them by uPlot.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tophit.report.html.overview import table
from tophit.report.html.tags import Html, tag

Column = Sequence[float | None]


@dataclass(frozen=True, kw_only=True)
class Series:
    """How a column is drawn.

    `low` and `high` name the columns of its band. `style`: line, dashed, or bars. `colour` is its
    number in the page's palette. `right`: on the axis to the right.
    """

    column: str
    low: str | None = None
    high: str | None = None
    style: str = "line"
    colour: int = 0
    right: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As the script reads it."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A picture: the columns of its table, the first one the x axis, and its series.

    `said` is what it shows in a sentence, for those who do not see it. `mark` is a place on the x
    axis with its label, `scale` share (0 to 1, as per cent) or count.
    """

    title: str
    said: str
    columns: Mapping[str, Column]
    series: Sequence[Series] = field(repr=False)
    scale: str = "share"
    right: str | None = None
    mark: tuple[float, str] | None = None
    whole_x: bool = True

    def to_dict(self) -> dict[str, Any]:
        """As the script reads it."""
        return {
            "columns": {name: list(values) for name, values in self.columns.items()},
            "series": [each.to_dict() for each in self.series],
            "scale": self.scale,
            "right": self.right,
            "mark": self.mark,
            "wholeX": self.whole_x,
        }

    def figure(self, number: int) -> Html:
        """The place that the script draws in, and the numbers as a table."""
        copy = tag("button", "Copy the table", type="button", class_="copy", hidden=True)
        return tag(
            "figure",
            tag("figcaption", tag("h3", self.title), tag("p", self.said, class_="quiet")),
            tag("div", role="img", aria_label=f"{self.title}. {self.said}", class_="plot",
                data_chart=number),
            tag("details", tag("summary", "The numbers"), copy, self.numbers),
        )  # fmt: skip

    @property
    def numbers(self) -> Html:
        """The columns as a table."""
        names = list(self.columns)
        rows = [
            [_figure(value) for value in values]
            for values in zip(*self.columns.values(), strict=True)
        ]
        return table(names, rows, numbers=range(len(names)), caption=self.title)


def _figure(value: float | None) -> str:
    """A number of a table: whole ones as they are.

    >>> _figure(3), _figure(0.25), _figure(1234.5), _figure(None)
    ('3', '0.2500', '1,234.5', '')
    """
    if value is None:
        return ""
    if isinstance(value, int) or (float(value).is_integer() and abs(value) > 1):
        return f"{value:,.0f}"
    return f"{value:.4f}" if abs(value) <= 1 else f"{value:,.1f}"


def histogram(
    groups: Mapping[str, Sequence[float]], *, bins: int = 20
) -> tuple[list[float], dict[str, list[int]]]:
    """The middles of `bins` equal bins over all values, and how many of each group are in each.

    >>> histogram({"a": [0.0, 1.0], "b": [1.0]}, bins=2)
    ([0.25, 0.75], {'a': [1, 1], 'b': [0, 1]})
    """
    values = [value for group in groups.values() for value in group]
    low, high = min(values), max(values)
    width = (high - low) / bins or 1.0
    counts = {name: [0] * bins for name in groups}
    for name, group in groups.items():
        for value in group:
            counts[name][min(bins - 1, math.floor((value - low) / width))] += 1
    return [low + width * (place + 0.5) for place in range(bins)], counts
