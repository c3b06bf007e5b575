"""`tophit check`: the faults of a question set."""

from __future__ import annotations

from typing import Any

import click

from tophit.cli.door import GateError
from tophit.cli.help import Rows, command, option
from tophit.cli.options import (
    FORMAT,
    MATCHING,
    OUTPUTS,
    READING,
    matching_options,
    questions_argument,
    tokenizer_option,
)
from tophit.cli.outputs import Outputs, output_option
from tophit.cli.screen import done, show, working

EXAMPLES = (
    (
        "Do the expected texts stand in the documents",
        "tophit check questions.jsonl --docs docs/",
    ),
    (
        "Does the index hold them whole",
        "tophit check questions.jsonl --docs docs/ --chunks chunks.jsonl",
    ),
    (
        "A corrected copy, where the right value is certain",
        "tophit check questions.jsonl --docs docs/ --fix corrected.jsonl",
    ),
)


def code_rows() -> Rows:
    """The kinds of faults, for the help text."""
    from tophit.checking import CODES

    return [(name, f"{code.level}: {code.summary}") for name, code in CODES.items()]


@command("check", examples=EXAMPLES, tables=[("What is found", code_rows)])
@questions_argument
@option(
    "--docs",
    metavar="DIR",
    group=READING,
    help="The documents: shows what does not stand in them, or several times.",
)
@option(
    "--chunks",
    metavar="CHUNKS",
    group=READING,
    help="All chunks of the index: shows what no chunk holds whole.",
)
@option(
    "--size",
    type=click.IntRange(min=1),
    metavar="TOKENS",
    group=READING,
    help="Without --chunks: how large a chunk is, to see what is longer.",
)
@option(
    "--format", "format_", type=FORMAT, metavar="NAME", group=READING,
    help="The format of QUESTIONS, instead of what its content says.",
)  # fmt: skip
@matching_options
@tokenizer_option(group=MATCHING)
@option(
    "--limit",
    type=click.IntRange(min=0),
    default=5,
    metavar="N",
    group=OUTPUTS,
    help="How many findings of each kind are listed on the screen.",
)
@option(
    "--fix",
    "fixed",
    metavar="FILE",
    group=OUTPUTS,
    help="Write a copy with every certain correction; QUESTIONS stays as it is.",
)
@option("--strict", is_flag=True, group=OUTPUTS,
        help="Exit with status 1 on warnings, too.")  # fmt: skip
@output_option("--json", "Everything as JSON.")
@output_option("--csv", "A row a finding (.csv, .tsv, .jsonl, .parquet).")
def main(
    questions: str,
    *,
    docs: str | None,
    format_: str | None,
    limit: int,
    fixed: str | None,
    strict: bool,
    **options: Any,
) -> None:
    """Find the faults of a question set before they cost anybody a day.

    An expected text with a typing error is never found, whatever the retriever does. With --docs
    this says what stands nowhere, and where it differs from what stands there. Exit status 1 if
    there is an error.
    """
    from tophit.checking import check
    from tophit.evaluation.record import as_json, result_record
    from tophit.formats import read_questions
    from tophit.formats.convert import format_of_target
    from tophit.report.check_view import check_view

    outputs = Outputs.taken_from(options, tables=["--csv"])
    writer = None if fixed is None else format_of_target(fixed)
    with working("Checking"):
        found = check(read_questions(questions, format=format_), documents=docs, **options)
    outputs.write_text("--json", lambda: as_json(result_record("check", found)))
    outputs.write_frame("--csv", lambda: found.frame)
    if outputs.leave_screen_free:
        show(check_view(found, limit=limit))
    if fixed is not None and writer is not None:
        done(f"{found.fix(fixed, format=writer.name):,} corrections", fixed)
    if not found.ok or (strict and any(each.level == "warning" for each in found.findings)):
        raise GateError
