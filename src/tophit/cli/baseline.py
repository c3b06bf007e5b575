"""`tophit baseline`: freeze the scores that later runs are held against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tophit.cli.help import argument, command, option
from tophit.cli.inputs import Reading, read_index
from tophit.cli.options import (
    OUTPUTS,
    chunks_option,
    format_options,
    measure_names,
    questions_argument,
    scoring_options,
)
from tophit.cli.screen import done, listed_warnings, working

if TYPE_CHECKING:
    from tophit.settings import Settings

EXAMPLES = (
    ("Freeze today's scores", "tophit baseline questions.jsonl run.jsonl -o baseline.json"),
    (
        "Hold a later run against them",
        "tophit eval questions.jsonl new.jsonl --against baseline.json --significant",
    ),
)


@command("baseline", examples=EXAMPLES, tables=[("Measures", measure_names)])
@questions_argument
@argument("run", explained="What a system retrieved.")
@option("-o", "--output", "output", required=True, metavar="FILE", group=OUTPUTS,
        help="The baseline; commit it beside the questions.")  # fmt: skip
@scoring_options
@chunks_option
@format_options
def main(
    questions: str,
    run: str,
    *,
    output: str,
    measures: str,
    settings: Settings,
    chunks: str | None,
    reading: Reading,
) -> None:
    """Freeze the scores of a run, for 'tophit eval --against'.

    The file holds the score of every question, so that a later run can be compared question by
    question. It stays as it is until this command writes it anew.
    """
    from tophit.gates.freezing import baseline

    with working("Scoring"):
        asked, read = reading.read(questions, [run])
        index = None if chunks is None else read_index(chunks)
        result = baseline(
            asked, read[0], output=output, measures=measures, chunks=index, settings=settings
        )
    listed_warnings(result.warnings)
    values = ", ".join(f"{name} {score.value:.4f}" for name, score in result.measures.items())
    done(f"{result.questions.answerable:,} questions, {values}", output)
