"""`tophit abstention`: whether a system says that it does not know, and only where it cannot."""

from __future__ import annotations

from typing import Any

from tophit.cli.help import argument, command, option
from tophit.cli.inputs import Reading
from tophit.cli.options import (
    SCORES,
    format_options,
    level_option,
    min_grade_option,
    questions_argument,
)
from tophit.cli.outputs import Outputs, output_option
from tophit.cli.screen import show, width, working

EXAMPLES = (
    (
        "Right abstentions, unsupported answers, over-refusals",
        "tophit abstention q.jsonl run.jsonl",
    ),
    (
        "With your own list of phrases, each question into a table",
        "tophit abstention q.jsonl run.jsonl --phrases phrases.txt --per-question a.csv",
    ),
)


@command("abstention", examples=EXAMPLES)
@questions_argument
@argument("run", explained="What a system retrieved and answered.")
@option(
    "--phrases", metavar="FILE", group=SCORES,
    help="What refusals look like, a phrase a line, instead of the built-in list.",
)  # fmt: skip
@min_grade_option
@level_option
@output_option("--json", "The numbers as JSON.")
@output_option("--per-question", "A row a question (.csv, .tsv, .jsonl, .parquet).")
@format_options
def main(
    questions: str,
    run: str,
    *,
    phrases: str | None,
    reading: Reading,
    **options: Any,
) -> None:
    """Say how well a system abstains: on unanswerable questions, and on no other.

    An abstention is known by the run's own 'abstained', by an empty retrieval, or by the words of
    the answer (a list of phrases in several languages). Answers to answerable questions are not
    judged here.
    """
    from tophit.abstaining import abstention, read_phrases
    from tophit.evaluation.record import as_json, result_record
    from tophit.report.abstention_view import abstention_view

    outputs = Outputs.taken_from(options, tables=["--per-question"])
    listed = None if phrases is None else read_phrases(phrases)
    with working("Reading"):
        asked, read = reading.read(questions, [run])
    found = abstention(asked, read[0], phrases=listed, **options)
    outputs.write_text("--json", lambda: as_json(result_record("abstention", found)))
    if found.table is not None:
        table = found.table
        outputs.write_frame("--per-question", lambda: table)
    if outputs.leave_screen_free:
        show(abstention_view(found, name=read[0].name, width=width()))
