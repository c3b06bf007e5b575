"""Everything that `tophit eval` writes and prints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tophit.cli.outputs import Outputs
from tophit.cli.screen import show, width
from tophit.relations import QUERY

if TYPE_CHECKING:
    from tophit.diagnosis import Diagnosis
    from tophit.gates import GateReport
    from tophit.relations import Questions
    from tophit.result import Result


@dataclass(frozen=True)
class Evaluated:
    """One or more runs scored: what every report is made of. Dicts are by the name of the run."""

    asked: Questions
    results: list[Result]
    diagnoses: dict[str, Diagnosis]
    gates: dict[str, GateReport]
    fingerprints: dict[str, str]
    level: float
    indexed: bool

    @property
    def outcomes(self) -> dict[str, dict[str, int]]:
        """How many questions have each outcome, where the index is known."""
        if not self.indexed:
            return {}
        return {name: told.totals for name, told in self.diagnoses.items()}

    @property
    def order(self) -> list[str]:
        """The ids of the questions in the order of their file."""
        ids: list[str] = self.asked.queries[QUERY].to_list()
        return ids


def write_reports(scored: Evaluated, outputs: Outputs) -> None:
    """Write every file that was asked for, and print the table unless one went to the screen."""
    from tophit.report import frames
    from tophit.report.github import github_annotations
    from tophit.report.json_output import as_json, evaluation_json
    from tophit.report.junit import junit_xml
    from tophit.report.latex import evaluation_latex
    from tophit.report.markdown import evaluation_markdown
    from tophit.report.terminal import evaluation

    results, gates, level = scored.results, scored.gates, scored.level
    outcomes = scored.outcomes
    record = partial(
        evaluation_json, results, outcomes=scored.outcomes, gates=gates,
        fingerprints=scored.fingerprints,
    )  # fmt: skip
    outputs.write_text("--json", lambda: as_json(record()))
    outputs.write_text(
        "--markdown", partial(evaluation_markdown, results, outcomes=outcomes, level=level)
    )
    outputs.write_text("--latex", partial(evaluation_latex, results, level=level))
    outputs.write_text(
        "--junit",
        partial(junit_xml, results, diagnoses=scored.diagnoses, gates=gates, order=scored.order),
    )
    outputs.write_text(
        "--github", partial(github_annotations, results, gates=gates, file=scored.asked.source)
    )
    outputs.write_frame("--csv", partial(frames.summary_frame, results))
    outputs.write_frame("--per-question", partial(frames.scores_frame, results, order=scored.order))
    if outputs.leave_screen_free:
        show(evaluation(results, outcomes=outcomes, level=level, width=width()))
