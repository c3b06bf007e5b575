"""A comparison for programs and pull requests: JSON, a data frame, Markdown."""

from __future__ import annotations

import itertools

import polars as pl

from tophit.comparison import Comparison
from tophit.comparison.difference import signed
from tophit.report.comparison_view import asked, change_lines, p_value, signed_bounds, verdict
from tophit.report.markdown import escaped, table
from tophit.report.summary import number

_NAMED = 20
_COLUMNS = {
    "a": pl.String, "b": pl.String, "measure": pl.String, "n": pl.Int64, "value_a": pl.Float64,
    "value_b": pl.Float64, "difference": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    "p": pl.Float64, "p_holm": pl.Float64, "test": pl.String, "significant": pl.Boolean,
    "n_wins": pl.Int64, "n_losses": pl.Int64, "smallest_detectable": pl.Float64,
    "questions_needed": pl.Int64,
}  # fmt: skip


def comparison_frame(found: Comparison) -> pl.DataFrame:
    """A row a pair and measure; the names of the questions are in the JSON.

    >>> from tophit.comparison import compare_scores
    >>> found = compare_scores(["q"], {"a": {"MRR": [1.0]}, "b": {"MRR": [0.5]}})
    >>> comparison_frame(found).select("a", "b", "difference").rows()
    [('a', 'b', -0.5)]
    """
    rows = [[getattr(each, name) for name in _COLUMNS] for each in found.differences]
    return pl.DataFrame(rows, schema=_COLUMNS, orient="row")


def comparison_markdown(found: Comparison) -> str:
    """A table a pair, and what it says in words.

    >>> from tophit.comparison import compare_scores
    >>> found = compare_scores(["q"], {"a": {"MRR": [1.0]}, "b": {"MRR": [0.5]}})
    >>> comparison_markdown(found).splitlines()[0]
    '**b against a: 1 question**'
    """
    lines: list[str] = []
    interval = f"{100 * found.level:g} % interval"
    for (a, b), group in itertools.groupby(found.differences, key=lambda each: (each.a, each.b)):
        differences = list(group)
        lines += [f"**{escaped(b)} against {escaped(a)}: {escaped(asked(found))}**", ""]
        rows = [
            [
                each.measure, number(each.value_a), number(each.value_b),
                signed(each.difference), signed_bounds(each), p_value(each.p_holm),
                f"{each.n_wins:,}", f"{each.n_losses:,}",
            ]
            for each in differences
        ]  # fmt: skip
        lines += table(["measure", a, b, "difference", interval, "p", "won", "lost"], rows)
        lines += ["", *(f"- {escaped(verdict(each))}" for each in differences), ""]
        if changed := change_lines(found, a, b, named=_NAMED):
            lines += [f"Outcome changes at k = {found.k}:", ""]
            lines += [*(f"- {escaped(line)}" for line in changed), ""]
    lines += [f"> **Warning** {escaped(warning.message)}\n" for warning in found.warnings]
    return "\n".join(lines).rstrip() + "\n"
