"""Everything that `tophit eval` writes and prints."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tophit.cli.options import together
from tophit.cli.outputs import Outputs, output_option
from tophit.cli.pages import HTML, SUMMARY
from tophit.cli.screen import show, width
from tophit.errors import UsageError
from tophit.relations import QUERY

if TYPE_CHECKING:
    import polars as pl

    from tophit.comparison import Comparison
    from tophit.diagnosis import Diagnosis
    from tophit.evaluation.curve import Context
    from tophit.evaluation.result import Result
    from tophit.gates import GateReport
    from tophit.relations import Questions
    from tophit.report.html.detail import Detail
    from tophit.report.misses import Account


@dataclass(frozen=True, kw_only=True)
class Evaluated:
    """One or more runs scored: what every report is made of. Dicts are by the name of the run.

    `diagnose` gives the diagnosis of a run at a k, `lines` the line of each question in its file,
    `details` every question of every run; they are called only where an output needs them.
    """

    asked: Questions
    results: list[Result]
    diagnose: Callable[[str, int], Diagnosis]
    gates: dict[str, GateReport]
    indexed: bool
    lines: Callable[[], dict[str, int]]
    details: Callable[[], list[Detail]]
    html_size: float
    window: int | None = None
    contexts: dict[str, Context] = field(default_factory=dict)

    @property
    def level(self) -> float:
        """The level of the intervals."""
        return self.results[0].settings.level

    @property
    def record(self) -> dict[str, Any]:
        """The JSON output."""
        from tophit.report.json_output import evaluation_json

        return evaluation_json(
            self.results, outcomes=self.outcomes, gates=self.gates, contexts=self.contexts,
            window=self.window,
        )  # fmt: skip

    @property
    def remarks(self) -> list[str]:
        """What is said below the table: what is covered, outcomes, and what the contexts cost."""
        from tophit.evaluation.covered import covered_lines
        from tophit.report.summary import outcome_lines

        several = len(self.results) > 1
        costs = (
            []
            if self.window is None
            else [
                f"context{f' of {name}' if several else ''}: {cost.said(window=self.window)}"
                for name, cost in self.contexts.items()
            ]
        )
        return [*covered_lines(self.results), *outcome_lines(self.outcomes), *costs]

    @property
    def outcomes(self) -> dict[str, dict[str, int]]:
        """How many questions have each outcome, where the index is known."""
        if not self.indexed:
            return {}
        return {each.name: self.diagnose(each.name, each.k).totals for each in self.results}

    @property
    def order(self) -> list[str]:
        """The ids of the questions in the order of their file."""
        ids: list[str] = self.asked.queries[QUERY].to_list()
        return ids

    @cached_property
    def accounts(self) -> list[Account]:
        """Every run question by question, for the outputs that name questions."""
        from tophit.report.misses import account, cutoff_of, gate_measure

        lines = self.lines()
        found = []
        for result in self.results:
            gates = self.gates.get(result.name)
            measure = gate_measure(result, gates)
            told = self.diagnose(result.name, cutoff_of(measure, k=result.k))
            source = self.asked.source if Path(self.asked.source).exists() else None
            found.append(
                account(
                    result, told, measure=measure, queries=self.asked.queries, gates=gates,
                    source=source, lines=lines,
                )
            )  # fmt: skip
        return found

    @property
    def comparison(self) -> Comparison | None:
        """The runs against the first one; None for one run, or runs that cannot be compared."""
        from tophit.comparison import compare_results

        if len(self.results) < 2:
            return None
        try:
            return compare_results(self.results, level=self.level)
        except UsageError:
            return None


# ------------------------------------------------------------------------------ the reports


def _json(scored: Evaluated) -> str:
    from tophit.report.json_output import as_json

    return as_json(scored.record)


def _html(scored: Evaluated) -> str:
    from tophit.report.html.results import result_html

    return result_html(scored.record, scored.details(), size=scored.html_size)


def _markdown(scored: Evaluated) -> str:
    from tophit.report.markdown import evaluation_markdown

    return evaluation_markdown(scored.results, said=scored.remarks, level=scored.level)


def _latex(scored: Evaluated) -> str:
    from tophit.report.latex import evaluation_latex

    return evaluation_latex(scored.results, comparison=scored.comparison)


def _junit(scored: Evaluated) -> Iterable[str]:
    from tophit.report.junit import junit_parts

    return junit_parts(scored.accounts)


def _summary(scored: Evaluated) -> pl.DataFrame:
    from tophit.report.frames import summary_frame

    return summary_frame(scored.results)


def _scores(scored: Evaluated) -> pl.DataFrame:
    from tophit.report.frames import scores_frame

    return scores_frame(scored.results, order=scored.order)


@dataclass(frozen=True, kw_only=True)
class Report:
    """A file that `tophit eval` can write: its option, and the text, parts or table made for it."""

    option: str
    summary: str
    text: Callable[[Evaluated], str] | None = None
    parts: Callable[[Evaluated], Iterable[str]] | None = None
    table: Callable[[Evaluated], pl.DataFrame] | None = None

    @property
    def is_table(self) -> bool:
        """Whether the ending of the file says what kind of table it is."""
        return self.table is not None

    def write(self, scored: Evaluated, outputs: Outputs) -> None:
        """Write it, if it was asked for."""
        if self.text is not None:
            outputs.write_text(self.option, partial(self.text, scored))
        if self.parts is not None:
            outputs.write_parts(self.option, partial(self.parts, scored))
        if self.table is not None:
            outputs.write_frame(self.option, partial(self.table, scored))


REPORTS = (
    Report(option="--json", summary="Everything as JSON, schema 1.", text=_json),
    Report(option=HTML, summary=SUMMARY, text=_html),
    Report(
        option="--csv", table=_summary,
        summary="The table, a row a run and measure (.csv, .tsv, .jsonl, .parquet).",
    ),
    Report(option="--markdown", summary="The table in Markdown, for a pull request.",
           text=_markdown),
    Report(
        option="--latex", summary="The table in LaTeX, several runs marked against the first.",
        text=_latex,
    ),
    Report(
        option="--junit", summary="JUnit XML, a test case a question and a gate, for CI systems.",
        parts=_junit,
    ),
    Report(
        option="--per-question",
        summary="A row a question, a column a measure (.csv, .tsv, .jsonl, .parquet).",
        table=_scores,
    ),
)  # fmt: skip
report_options = together(*(output_option(each.option, each.summary) for each in REPORTS))


def write_reports(scored: Evaluated, outputs: Outputs) -> None:
    """Write every file that was asked for, and print the table unless one went to the screen."""
    from tophit.report.terminal import evaluation

    for report in REPORTS:
        report.write(scored, outputs)
    if outputs.leave_screen_free:
        show(evaluation(scored.results, said=scored.remarks, level=scored.level, width=width()))


def annotate_run(scored: Evaluated, wanted: bool | None) -> None:
    """Print annotations to standard error, where GitHub reads them too.

    `wanted` None: in GitHub Actions, where a gate failed.
    """
    if wanted is None:
        on_github = os.environ.get("GITHUB_ACTIONS") == "true"
        wanted = on_github and not all(report.passed for report in scored.gates.values())
    if not wanted:
        return
    from tophit.report.github import annotation_lines
    from tophit.report.visible import visible

    for line in annotation_lines(scored.accounts):
        click.echo(visible(line), err=True)
