"""Markdown for a pull request or a CI summary."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tophit.evaluation.result import Result
from tophit.evaluation.results import remarks
from tophit.report.slices_view import few_said, slice_tables
from tophit.report.summary import bounds, heading, number


def evaluation_markdown(
    results: Sequence[Result],
    *,
    level: float,
    said: Sequence[str] = (),
) -> str:
    """One or more runs as a Markdown table, with what is `said` of them and the warnings below.

    One run: a row a measure. Several: a row a run, a column a measure.

    >>> import tophit
    >>> result = tophit.evaluate({"q": ["a"]}, {"q": ["a"]}, measures="MRR", name="bm25")
    >>> print(evaluation_markdown([result], level=0.95), end="")
    **bm25: 1 question, all answerable, matched by ids, k = 4**
    <BLANKLINE>
    | measure | value | 95 % interval | n |
    | :-- | --: | --: | --: |
    | MRR | 1.0000 | [0.000, 1.000] | 1 |
    """
    lines = [f"**{escaped(heading(results))}**", ""]
    if len(results) == 1:
        titles = ["measure", "value", f"{100 * level:g} % interval", "n"]
        rows = [
            [name, number(score.value), bounds(score), f"{score.n:,}"]
            for name, score in results[0].measures.items()
        ]
    else:
        titles = ["run", *results[0].measures, "n"]
        rows = [
            [
                result.name,
                *(f"{number(score.value)} {bounds(score)}" for score in result.measures.values()),
                f"{max((score.n for score in result.measures.values()), default=0):,}",
            ]
            for result in results
        ]
    lines += table(titles, rows)
    lines += _slices(results)
    for line in (*said, *filter(None, [few_said(results)])):
        lines += ["", escaped(line)]
    for remark in remarks(results):
        lines += ["", f"> **Warning** {escaped(remark.text)}"]
    return "\n".join(lines) + "\n"


def _slices(results: Sequence[Result]) -> list[str]:
    """A table a field, below its title."""
    lines: list[str] = []
    for each in slice_tables(results):
        columns = [each.cells(name, between=" ") for name in each.measures]
        rows = list(zip(each.labels, *columns, each.counts, strict=True))
        lines += [
            "",
            f"**{escaped(each.title)}**",
            "",
            *table(["slice", *each.measures, "n"], rows),
        ]
    return lines


def table(
    titles: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: bool = True
) -> list[str]:
    """The lines of a Markdown table: the first column to the left, numbers to the right.

    >>> table(["run", "n"], [["a|b", "3"]])
    ['| run | n |', '| :-- | --: |', '| a\\\\|b | 3 |']
    """
    sides = [":--", *("--:" if numbers else ":--" for _ in titles[1:])]
    shown = [[escaped(cell) for cell in row] for row in (titles, *rows)]
    return [f"| {' | '.join(row)} |" for row in (shown[0], sides, *shown[1:])]


def escaped(text: str) -> str:
    """Text that Markdown shows as it is: marks escaped, on one line.

    >>> escaped("a|b_c <tag>\\nd")
    'a\\\\|b\\\\_c \\\\<tag> d'
    """
    return re.sub(r"([\\`*_{}<|~#])", r"\\\1", re.sub(r"\s+", " ", text))
