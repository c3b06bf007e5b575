"""LaTeX tables (package booktabs), with marks where a difference is significant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tophit.comparison import Comparison
from tophit.report.summary import number
from tophit.result import Result

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip
UP, DOWN = r"$^{\blacktriangle}$", r"$^{\blacktriangledown}$"


def evaluation_latex(results: Sequence[Result], *, level: float) -> str:
    """A row a run, a column a measure; the best value of each measure is bold.

    >>> import tophit
    >>> result = tophit.evaluate({"q": ["a"]}, {"q": ["a"]}, measures="MRR", name="bm_25")
    >>> print(evaluation_latex([result], level=0.95).splitlines()[5])
    bm\\_25 & \\textbf{1.0000} {\\footnotesize[.000, 1.00]} \\\\
    """
    from tophit.report.summary import short_bounds

    values = {
        result.name: {name: score.value for name, score in result.measures.items()}
        for result in results
    }
    extra = {
        (result.name, name): rf" {{\footnotesize{short_bounds(score)}}}"
        for result in results
        for name, score in result.measures.items()
    }
    note = f"In brackets: {100 * level:g}\\,\\% intervals."
    return _table(values, extra, note=note)


def comparison_latex(found: Comparison) -> str:
    r"""A row a run, a column a measure; marks say that a run differs from the baseline.

    The marks are the symbols of the package amssymb: up for better, down for worse, each after
    Holm's correction. With all pairs there is no baseline, and no mark.

    >>> from tophit.comparison import compare_scores
    >>> found = compare_scores(["q"], {"a": {"MRR": [1.0]}, "b": {"MRR": [0.5]}})
    >>> comparison_latex(found).splitlines()[6]
    'b & 0.5000 \\\\'
    """
    values: dict[str, dict[str, float]] = {run: {} for run in found.runs}
    marks: dict[tuple[str, str], str] = {}
    for each in found.differences:
        values[each.a][each.measure] = each.value_a
        values[each.b][each.measure] = each.value_b
        if each.significant and found.baseline is not None:
            marks[each.b, each.measure] = UP if each.difference > 0 else DOWN
    note = f"Baseline: {escaped(found.baseline)}." if found.baseline is not None else ""
    alpha = f"{1 - found.level:.2g}"
    if found.baseline is not None:
        note += rf" {UP}, {DOWN}: better, worse ($p \le {alpha}$, paired test, Holm)."
    return _table(values, marks, note=note)


def escaped(text: str) -> str:
    r"""Text with LaTeX's own characters made harmless.

    >>> print(escaped("50 % of a_b"))
    50 \% of a\_b
    """
    return "".join(_SPECIAL.get(character, character) for character in text)


def _table(
    values: Mapping[str, Mapping[str, float]],
    extra: Mapping[tuple[str, str], str],
    *,
    note: str,
) -> str:
    measures = list(next(iter(values.values())))
    best = {name: max(row[name] for row in values.values()) for name in measures}
    titles = ["run", *measures]
    lines = [
        "% needs \\usepackage{booktabs} and, for marks, \\usepackage{amssymb}",
        rf"\begin{{tabular}}{{l{'r' * len(measures)}}}",
        r"\toprule",
        f"{' & '.join(escaped(title) for title in titles)} \\\\",
        r"\midrule",
    ]
    for run, row in values.items():
        cells = [_cell(row[name], row[name] == best[name]) + extra.get((run, name), "")
                 for name in measures]  # fmt: skip
        lines.append(f"{' & '.join([escaped(run), *cells])} \\\\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if note:
        lines.append(rf"\par\footnotesize {note}")
    return "\n".join(lines) + "\n"


def _cell(value: float, is_best: bool) -> str:
    return rf"\textbf{{{number(value)}}}" if is_best else number(value)
