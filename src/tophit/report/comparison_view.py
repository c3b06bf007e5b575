"""A comparison on the terminal: each pair with its numbers, what they say in words, and who."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from tophit.comparison import Comparison, Difference
from tophit.comparison.difference import signed
from tophit.errors import counted
from tophit.evaluation.results import Remark
from tophit.report.summary import number, what_was_set
from tophit.report.tables import Column, stacked
from tophit.report.terminal import warning_lines

_NAMED = 8


def comparison_view(found: Comparison, *, width: int) -> RenderableType:
    """Every pair of runs: a table, a sentence a measure, and the questions won and lost by name."""
    parts: list[RenderableType] = []
    pairs = itertools.groupby(found.differences, key=lambda each: (each.a, each.b))
    for (a, b), group in pairs:
        differences = list(group)
        parts += [Text(f"{b} against {a}: {asked(found)}", style="bold"), Text()]
        for table in _tables(differences, found.level, width=width):
            parts += [table, Text()]
        for each in differences:
            parts.append(Text(verdict(each)))
        parts += [*_questions(differences), Text()]
        if changed := change_lines(found, a, b, named=_NAMED):
            parts += [Text(f"Outcome changes at k = {found.k}:"), *map(Text, changed), Text()]
    remarks = [Remark(run=None, warning=warning) for warning in found.warnings]
    return Group(*parts[:-1], *([Text()] if remarks else []), *warning_lines(remarks))


def asked(found: Comparison) -> str:
    """How many questions were compared, and with which settings that are not the default."""
    made_by = "" if found.settings is None else what_was_set(found.settings)
    return f"{counted(found.n, 'question')}{made_by and f', {made_by}'}"


def verdict(found: Difference) -> str:
    """What a difference says, in words, for someone without statistics.

    >>> from tophit.comparison import compare_scores
    >>> runs = {"old": {"Hit@4": [0.0, 0.0, 1.0]}, "new": {"Hit@4": [1.0, 0.0, 1.0]}}
    >>> verdict(compare_scores(["q1", "q2", "q3"], runs, binary=["Hit@4"]).differences[0])
    'Hit@4: no difference shown (p = 1); 3 questions show one of 1.000 or more; this one needs ...'
    """
    if not found.n:
        return f"{found.measure}: nothing to compare, no question counts"
    if found.significant:
        better = "better" if found.difference > 0 else "worse"
        return f"{found.measure}: {found.b} is {better}, more than chance explains ({_p(found)})"
    said = f"{found.measure}: no difference shown ({_p(found)})"
    if found.smallest_detectable is not None:
        said += f"; {found.n:,} questions show one of {found.smallest_detectable:.3f} or more"
    if found.questions_needed is not None:
        said += f"; this one needs about {found.questions_needed:,}"
    return said


def change_lines(found: Comparison, a: str, b: str, *, named: int) -> list[str]:
    """The questions whose outcome changed from run a to b, the first `named` of each kind by id.

    >>> import tophit
    >>> found = tophit.compare({"q": ["a"]}, {"old": {"q": ["a"]}, "new": {"q": ["b"]}})
    >>> change_lines(found, "old", "new", named=8)
    ['found -> missed: 1 question (q)']
    """
    if not found.outcomes:
        return []
    changes = found.changes[a, b].items()
    lines = [
        f"{before} -> {after}: {counted(len(ids), 'question')} "
        f"({', '.join(ids[:named])}{', ...' if len(ids) > named else ''})"
        for (before, after), ids in changes
    ]
    return lines or ["none"]


def p_value(p: float) -> str:
    """A p-value in few digits, never as 0.

    >>> p_value(0.0414), p_value(0.00001), p_value(1.0)
    ('0.041', '<0.001', '1')
    """
    return "<0.001" if p < 0.001 else f"{p:.2g}"


def signed_bounds(found: Difference) -> str:
    """The interval of a difference, in brackets, with signs.

    >>> from tophit.comparison import compare_scores
    >>> runs = {"a": {"MRR": [1.0, 0.5]}, "b": {"MRR": [1.0, 1.0]}}
    >>> signed_bounds(compare_scores(["q", "r"], runs).differences[0])
    '[-1.000, +1.000]'
    """
    if found.low is None or found.high is None:
        return "no questions"
    return f"[{signed(found.low, 3)}, {signed(found.high, 3)}]"


def _p(found: Difference) -> str:
    shown = p_value(found.p_holm)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def _tables(
    differences: Sequence[Difference], level: float, *, width: int
) -> Sequence[RenderableType]:
    first = differences[0]
    return stacked(
        Column("measure", [each.measure for each in differences], numbers=False),
        [
            Column(_title(first.a), [number(each.value_a) for each in differences]),
            Column(_title(first.b), [number(each.value_b) for each in differences]),
            Column("difference", [signed(each.difference) for each in differences]),
            Column(f"{100 * level:g} % interval", [signed_bounds(each) for each in differences]),
            Column("p", [p_value(each.p_holm) for each in differences]),
            Column("won", [f"{each.n_wins:,}" for each in differences]),
            Column("lost", [f"{each.n_losses:,}" for each in differences]),
        ],
        width=width,
    )  # fmt: skip


def _title(run: str) -> str:
    return run if len(run) <= 12 else f"{run[:11]}…"


def _questions(differences: Sequence[Difference]) -> Iterator[Text]:
    """The questions won and lost on the first measure that differs at all."""
    for each in differences:
        if each.wins or each.losses:
            for what, ids in (("won", each.wins), ("lost", each.losses)):
                if ids:
                    more = f", and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
                    yield Text(f"{what} on {each.measure}: {', '.join(ids[:_NAMED])}{more}")
            return
