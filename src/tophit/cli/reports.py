"""Everything that `tophit eval` writes and prints."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tophit.cli.outputs import Outputs
from tophit.cli.screen import show, width
from tophit.errors import UsageError
from tophit.relations import QUERY

if TYPE_CHECKING:
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
    level: float
    indexed: bool
    lines: Callable[[], dict[str, int]]
    details: Callable[[], list[Detail]]
    html_size: float
    window: int | None = None
    contexts: dict[str, Context] = field(default_factory=dict)

    @property
    def remarks(self) -> list[str]:
        """What is said below the table: outcomes, and what the contexts cost."""
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
        return [*outcome_lines(self.outcomes), *costs]

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


def write_reports(scored: Evaluated, outputs: Outputs) -> None:
    """Write every file that was asked for, and print the table unless one went to the screen."""
    from tophit.report import frames
    from tophit.report.json_output import as_json, evaluation_json
    from tophit.report.junit import junit_parts
    from tophit.report.latex import evaluation_latex
    from tophit.report.markdown import evaluation_markdown
    from tophit.report.terminal import evaluation

    results, gates, level = scored.results, scored.gates, scored.level
    said = scored.remarks
    record = partial(
        evaluation_json, results, outcomes=scored.outcomes, gates=gates,
        contexts=scored.contexts, window=scored.window,
    )  # fmt: skip
    outputs.write_text("--json", lambda: as_json(record()))
    outputs.write_text("--html", lambda: _page(scored, record()))
    outputs.write_text("--markdown", partial(evaluation_markdown, results, said=said, level=level))
    outputs.write_text("--latex", lambda: evaluation_latex(results, comparison=scored.comparison))
    outputs.write_parts("--junit", lambda: junit_parts(scored.accounts))
    outputs.write_frame("--csv", partial(frames.summary_frame, results))
    outputs.write_frame("--per-question", partial(frames.scores_frame, results, order=scored.order))
    if outputs.leave_screen_free:
        show(evaluation(results, said=said, level=level, width=width()))


def _page(scored: Evaluated, record: dict[str, Any]) -> str:
    from tophit.report.html.evaluated import evaluation_html

    return evaluation_html(record, scored.details(), size=scored.html_size)


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
