"""`tophit threshold`: the score below which a system should rather not answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tophit.cli.help import argument, command, option
from tophit.cli.inputs import Reading
from tophit.cli.options import (
    SCORES,
    format_options,
    k_option,
    level_option,
    matching_options,
    min_grade_option,
    questions_argument,
    settled,
)
from tophit.cli.outputs import Outputs, output_option
from tophit.cli.screen import show, width, working

if TYPE_CHECKING:
    from tophit.settings import Settings

EXAMPLES = (
    ("Where to put the threshold", "tophit threshold questions.jsonl run.jsonl"),
    (
        "Every threshold, to plot the curve",
        "tophit threshold questions.jsonl run.jsonl --per-threshold roc.csv",
    ),
)


@command("threshold", examples=EXAMPLES)
@questions_argument
@argument("run", explained="What a system retrieved, with a score on every chunk.")
@k_option
@min_grade_option
@level_option
@option("--rows", type=click.IntRange(min=1), default=8, metavar="N", group=SCORES,
        help="How many thresholds the table shows.")  # fmt: skip
@matching_options
@settled
@output_option("--json", "The numbers as JSON.")
@output_option("--per-threshold", "A row a threshold (.csv, .tsv, .jsonl, .parquet).")
@format_options
def main(
    questions: str,
    run: str,
    *,
    rows: int,
    settings: Settings,
    reading: Reading,
    **files: Any,
) -> None:
    """Find the score that separates answerable from unanswerable questions.

    A system that answers only where its best score reaches a threshold abstains on the rest. The
    threshold also drops every chunk below it, so it costs hits: the table shows both. The area
    under the ROC curve says whether scores can separate the two kinds at all; 0.5 is chance.
    """
    from tophit.abstaining import threshold
    from tophit.evaluation.record import as_json, result_record
    from tophit.report.abstention_view import threshold_view

    outputs = Outputs.taken_from(files, tables=["--per-threshold"])
    with working("Reading"):
        asked, read = reading.read(questions, [run])
    found = threshold(asked, read[0], settings=settings)
    outputs.write_text("--json", lambda: as_json(result_record("threshold", found)))
    outputs.write_frame("--per-threshold", lambda: found.points)
    if outputs.leave_screen_free:
        show(
            threshold_view(found, name=read[0].name, level=settings.level, rows=rows, width=width())
        )
