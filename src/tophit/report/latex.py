r"""Tables for a paper: runs by measures, the best in bold, marks for what a test supports.

They need `\usepackage{booktabs}`, and Unicode input, which is LaTeX's default.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tophit.comparison import Comparison, Difference
from tophit.errors import counted
from tophit.evaluation.result import Result

_DIGITS = 3
_BETTER, _WORSE = r"\dagger", r"\ddagger"
_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class _Table:
    """Values and marks are by run and measure; notes stand below the table."""

    runs: Sequence[str]
    measures: Sequence[str]
    values: Mapping[tuple[str, str], float]
    marks: Mapping[tuple[str, str], str]
    notes: Sequence[str]


def evaluation_latex(results: Sequence[Result], *, comparison: Comparison | None = None) -> str:
    r"""One or more runs as a table; a `comparison` of the same runs gives the marks.

    >>> import tophit
    >>> result = tophit.evaluate({"q": ["a"]}, {"q": ["a"]}, measures="MRR", name="bm25_k1")
    >>> print(evaluation_latex([result]), end="")
    % needs \usepackage{booktabs}
    \begin{tabular}{lr}
      \toprule
      run & MRR \\
      \midrule
      bm25\_k1 & 1.000 \\
      \bottomrule
    \end{tabular}
    \par\smallskip
    {\footnotesize 1 question.\par}
    """
    n = max((score.n for score in results[0].measures.values()), default=0)
    marks, notes = ({}, []) if comparison is None else _marks(comparison)
    return _written(
        _Table(
            runs=[result.name for result in results],
            measures=list(results[0].measures),
            values={(r.name, name): s.value for r in results for name, s in r.measures.items()},
            marks=marks,
            notes=[_counted(n), *notes],
        )
    )


def comparison_latex(found: Comparison) -> str:
    r"""The runs of a comparison, marked against its baseline, or each against all others.

    >>> from tophit.comparison import compare_scores
    >>> found = compare_scores(["q"], {"old": {"MRR": [0.5]}, "new": {"MRR": [1.0]}})
    >>> print(comparison_latex(found).splitlines()[6])
      new & \textbf{1.000} \\
    """
    values: dict[tuple[str, str], float] = {}
    for each in found.differences:
        values[each.a, each.measure] = each.value_a
        values[each.b, each.measure] = each.value_b
    marks, notes = _marks(found)
    return _written(
        _Table(
            runs=found.runs,
            measures=found.measures,
            values=values,
            marks=marks,
            notes=[_counted(found.n), *notes],
        )
    )


def _counted(n: int) -> str:
    return f"{counted(n, 'question')}."


def _marks(found: Comparison) -> tuple[dict[tuple[str, str], str], list[str]]:
    """The marks by run and measure, and the sentence that explains those that are there."""
    shown = [each for each in found.differences if each.significant]
    p = rf"$p \le {1 - found.level:.3g}$ after Holm's correction"
    if found.baseline is None:
        return _all_pairs(found, shown, p)
    marks = {(each.b, each.measure): _BETTER if each.difference > 0 else _WORSE for each in shown}
    words = {_BETTER: "better", _WORSE: "worse"}
    told = [f"${mark}$ {word}" for mark, word in words.items() if mark in marks.values()]
    baseline = escaped(found.baseline)
    return marks, [f"{', '.join(told)} than {baseline} ({p})."] if told else []


def _all_pairs(
    found: Comparison, shown: Sequence[Difference], p: str
) -> tuple[dict[tuple[str, str], str], list[str]]:
    """A letter for every run that a run is better than."""
    letters = _letters(found.runs)
    marks: dict[tuple[str, str], str] = {}
    for each in shown:
        better, worse = (each.b, each.a) if each.difference > 0 else (each.a, each.b)
        marks[better, each.measure] = marks.get((better, each.measure), "") + letters[worse]
    named = ", ".join(f"$^{{{letter}}}$ {escaped(run)}" for run, letter in letters.items())
    return marks, [f"Better than the run of the letter ({p}): {named}."] if shown else []


def _letters(runs: Sequence[str]) -> dict[str, str]:
    """A letter a run, or numbers where there are more runs than letters."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    if len(runs) <= len(alphabet):
        return dict(zip(runs, alphabet, strict=False))
    return {run: rf"{number}\," for number, run in enumerate(runs, start=1)}


def _written(table: _Table) -> str:
    best = {name: _best(table, name) for name in table.measures}
    rows = [
        [escaped(run), *(_cell(table, run, name, text) for name, text in best.items())]
        for run in table.runs
    ]
    lines = [
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{l{'r' * len(table.measures)}}}",
        r"  \toprule",
        _row(["run", *map(escaped, table.measures)]),
        r"  \midrule",
        *map(_row, rows),
        r"  \bottomrule",
        r"\end{tabular}",
        # below, since a long line inside would stretch the last column
        r"\par\smallskip",
        rf"{{\footnotesize {' '.join(table.notes)}\par}}",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return rf"  {' & '.join(cells)} \\"


def _best(table: _Table, measure: str) -> str | None:
    """The best value as it is printed, so that the same numbers are set alike; None if all are."""
    shown = {_number(table.values[run, measure]) for run in table.runs}
    return max(shown) if len(shown) > 1 else None


def _cell(table: _Table, run: str, measure: str, best: str | None) -> str:
    shown = _number(table.values[run, measure])
    text = rf"\textbf{{{shown}}}" if shown == best else shown
    mark = table.marks.get((run, measure))
    return text if mark is None else f"{text}$^{{{mark}}}$"


def _number(value: float) -> str:
    return f"{value:.{_DIGITS}f}"


def escaped(text: str) -> str:
    r"""Text that LaTeX prints as it is, on one line.

    >>> print(escaped("a_b & 50% {x} <y> --z"))
    a\_b \& 50\% \{x\} \textless{}y\textgreater{} -{}-z
    """
    plain = "".join(mark for mark in " ".join(text.split()) if mark.isprintable())
    return re.sub("-(?=-)", "-{}", "".join(_SPECIAL.get(mark, mark) for mark in plain))
