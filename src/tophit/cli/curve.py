"""`tophit curve`: what each further place buys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tophit.cli.help import argument, command, option
from tophit.cli.inputs import Reading
from tophit.cli.options import (
    MATCHING,
    SCORES,
    format_options,
    level_option,
    matching_options,
    min_grade_option,
    population_option,
    questions_argument,
    settled,
    tokenizer_option,
    window_option,
)
from tophit.cli.outputs import Outputs, output_option
from tophit.cli.screen import show, width, working

if TYPE_CHECKING:
    from tophit.settings import Settings

EXAMPLES = (
    ("How many chunks should the model get", "tophit curve questions.jsonl run.jsonl"),
    (
        "And what share of its window do they take",
        "tophit curve questions.jsonl run.jsonl --window 16384 --depth 10",
    ),
)


@command("curve", examples=EXAMPLES)
@questions_argument
@argument("run", explained="What a system retrieved, deeper than the k in use.")
@option(
    "--depth",
    type=click.IntRange(min=1),
    metavar="N",
    group=SCORES,
    help="The largest k; without it, the longest list of the run.",
)
@window_option
@min_grade_option
@population_option
@level_option
@matching_options
@tokenizer_option(group=MATCHING)
@settled
@output_option("--json", "The curve as JSON.")
@output_option("--csv", "A row a k (.csv, .tsv, .jsonl, .parquet).")
@format_options
def main(
    questions: str,
    run: str,
    *,
    window: int | None,
    settings: Settings,
    reading: Reading,
    **files: Any,
) -> None:
    """Show Hit@k for every k, and what each further place buys.

    Where the curve is flat, a larger k costs tokens and brings nothing; where it still rises, a
    larger k or a reranker would help. The tokens are those of the first k chunks together.
    """
    from tophit.evaluation.curve import curve
    from tophit.evaluation.record import as_json, result_record
    from tophit.report.curve_view import curve_view

    outputs = Outputs.taken_from(files, tables=["--csv"])
    with working("Reading"):
        asked, read = reading.read(questions, [run])
    with working("Scoring"):
        found = curve(asked, read[0], settings=settings)
    outputs.write_text("--json", lambda: as_json(result_record("curve", found, window=window)))
    outputs.write_frame("--csv", lambda: found.points)
    if outputs.leave_screen_free:
        show(curve_view(found, window=window, width=width()))
