"""`tophit diagnose`: why each question was missed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tophit.choices import OUTCOMES
from tophit.cli.help import Names, Rows, argument, command, option
from tophit.cli.inputs import Reading
from tophit.cli.options import (
    OUTPUTS,
    chunks_option,
    cut_option,
    documents_option,
    format_options,
    k_option,
    matching_options,
    min_grade_option,
    questions_argument,
    settled,
)
from tophit.cli.outputs import Outputs, output_option
from tophit.cli.pages import HTML, details, html_options, say_without_texts
from tophit.cli.screen import show, width, working

if TYPE_CHECKING:
    from tophit.diagnosis import Diagnosis
    from tophit.report.html.detail import Detail
    from tophit.settings import Settings

EXAMPLES = (
    (
        "Every miss, cut and unretrieved told apart",
        "tophit diagnose questions.jsonl run.jsonl --chunks chunks.jsonl",
    ),
    (
        "Also what is not in the documents at all: a wrong label",
        "tophit diagnose questions.jsonl run.jsonl --chunks chunks.jsonl --docs docs/",
    ),
    (
        "All questions that the splitter cut, into a table",
        "tophit diagnose questions.jsonl run.jsonl --chunks chunks.jsonl \\\n"
        "    --outcome cut --limit 1000 --per-question outcomes.csv",
    ),
)


def outcome_rows() -> Rows:
    """The outcomes and what they mean, for the help text."""
    return list(OUTCOMES.items())


@command("diagnose", examples=EXAMPLES, tables=[("Outcomes", outcome_rows)])
@questions_argument
@argument("run", explained="What a system retrieved.")
@chunks_option
@documents_option
@option(
    "--outcome",
    "outcomes",
    type=Names("outcome", "tophit.choices:OUTCOMES"),
    multiple=True,
    metavar="NAME",
    group=OUTPUTS,
    help="List the questions of this outcome; may be several; without it, all but found.",
)
@option("--limit", type=click.IntRange(min=0), default=10, metavar="N", group=OUTPUTS,
        help="How many questions are listed on the screen.")  # fmt: skip
@k_option
@cut_option
@min_grade_option
@matching_options
@settled
@html_options
@output_option("--json", "Everything as JSON, questions and items.")
@output_option("--per-question", "A row a question (.csv, .tsv, .jsonl, .parquet).")
@output_option("--per-item", "A row an expected item (.csv, .tsv, .jsonl, .parquet).")
@format_options
def main(
    questions: str,
    run: str,
    *,
    outcomes: tuple[str, ...],
    limit: int,
    settings: Settings,
    chunks: str | None,
    documents: str | None,
    reading: Reading,
    html_size: float,
    **files: Any,
) -> None:
    """Say of every answerable question why it was found or missed.

    Each has one outcome at k (below). With --chunks and --docs the misses are told apart: the
    splitter cut the answer in two, the retriever did not bring it, or the label is wrong. For a
    cut answer the output shows which part the best chunk holds, and the words at the cut.
    """
    from tophit.diagnosis import diagnose
    from tophit.evaluation.record import as_json, result_record
    from tophit.report.diagnosis_view import FOUND, diagnosis_view

    outputs = Outputs.taken_from(files, tables=["--per-question", "--per-item"])
    with working("Reading"):
        asked, read = reading.read(questions, [run])
    say_without_texts(HTML in outputs.files, asked, read)
    with working("Diagnosing"):
        found = diagnose(asked, read[0], chunks=chunks, documents=documents, settings=settings)
    questions_of = partial(
        details, asked, read, settings=settings, chunks=chunks, documents=documents
    )
    outputs.write_text(HTML, lambda: _page(found, questions_of(), size=html_size))
    outputs.write_text("--json", lambda: as_json(result_record("diagnosis", found)))
    outputs.write_frame("--per-question", lambda: found.questions)
    outputs.write_frame("--per-item", lambda: found.items)
    if outputs.leave_screen_free:
        chosen = outcomes or [name for name in OUTCOMES if name != FOUND]
        show(diagnosis_view(found, outcomes=chosen, limit=limit, width=width()))


def _page(found: Diagnosis, questions: list[Detail], *, size: float) -> str:
    from tophit.evaluation.record import result_record
    from tophit.report.html.results import result_html

    return result_html(result_record("diagnosis", found), questions, size=size)
