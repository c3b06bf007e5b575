"""`tophit eval`: scores of one or more runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tophit.cli.help import argument, command, option
from tophit.cli.inputs import read_inputs
from tophit.cli.options import (
    OUTPUTS,
    format_names,
    format_options,
    matching_options,
    measure_names,
    questions_argument,
    scoring_options,
)
from tophit.cli.outputs import Writer, write_outputs, write_text
from tophit.cli.screen import show, width, working
from tophit.relations import QUERY

if TYPE_CHECKING:
    from tophit.relations import Questions
    from tophit.result import Result

OUTPUT_OPTIONS = ("json_file", "csv_file", "markdown_file", "per_question")
EXAMPLES = (
    ("Hit@4, Partial@4 and MRR of what a system returned", "tophit eval questions.jsonl run.jsonl"),
    (
        "Two runs side by side, other measures, numbers into a file",
        "tophit eval qrels.txt bm25.run dense.run -m 'Hit@1 Hit@4 nDCG@10' --json scores.json",
    ),
    (
        "The value of every question, for a spreadsheet or a data frame",
        "tophit eval questions.jsonl run.jsonl --per-question scores.csv",
    ),
    (
        "The numbers of trec_eval -c -l 2",
        "tophit eval qrels.txt run.txt -m 'MAP P@10' --population trec_eval-c --min-grade 2",
    ),
)


@command("eval", examples=EXAMPLES, tables=[("Measures", measure_names), ("Formats", format_names)])
@questions_argument
@argument("runs", nargs=-1, required=True, metavar="RUN...", explained="What a system retrieved.")
@scoring_options
@matching_options
@format_options
@option("--json", "json_file", metavar="FILE", group=OUTPUTS, help="Everything as JSON, schema 1.")
@option("--csv", "csv_file", metavar="FILE", group=OUTPUTS,
        help="The table: a row a run and measure (.csv, .tsv, .jsonl, .parquet).")  # fmt: skip
@option("--markdown", "markdown_file", metavar="FILE", group=OUTPUTS,
        help="The table in Markdown, for a pull request.")  # fmt: skip
@option("--per-question", metavar="FILE", group=OUTPUTS,
        help="A row a question, a column a measure (.csv, .tsv, .jsonl, .parquet).")  # fmt: skip
def main(questions: str, runs: tuple[str, ...], **options: Any) -> None:
    """Score what a retriever returned against what it should have returned.

    QUESTIONS holds the questions and what each should find; each RUN holds what one system
    returned for them. The table gives the mean of every measure over the answerable questions,
    with its confidence interval. Unanswerable questions stay out and are counted; a question
    without results counts as 0.
    """
    from tophit.evaluate import evaluate

    formats = {key: options.pop(key) for key in ("format_", "questions_format", "run_format")}
    files = {key: options.pop(key) for key in OUTPUT_OPTIONS}
    with working("Reading"):
        asked, read = read_inputs(questions, runs, **formats)
    results = []
    for run in read:
        with working(f"Scoring {run.name}"):
            results.append(evaluate(asked, run, **options))
    _report(results, asked, files, level=options["level"])


def _report(
    results: list[Result], asked: Questions, files: dict[str, str | None], *, level: float
) -> None:
    from tophit.report import frames
    from tophit.report.json_output import as_json, evaluation_json
    from tophit.report.markdown import evaluation_markdown
    from tophit.report.terminal import evaluation

    order = asked.queries[QUERY].to_list()
    writers: dict[str, Writer] = {
        "--json": lambda file: write_text(file, as_json(evaluation_json(results))),
        "--csv": lambda file: frames.write_frame(frames.summary_frame(results), file),
        "--markdown": lambda file: write_text(file, evaluation_markdown(results, level=level)),
        "--per-question": lambda file: frames.write_frame(
            frames.scores_frame(results, order=order), file
        ),
    }
    wanted = {
        option: (file, writers[option])
        for option, file in zip(writers, files.values(), strict=True)
    }
    if write_outputs(wanted):
        show(evaluation(results, level=level, width=width()))
