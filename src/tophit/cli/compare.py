"""`tophit compare`: runs on the same questions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from tophit.cli.help import argument, command, option
from tophit.cli.inputs import Reading
from tophit.cli.options import (
    chunks_option,
    documents_option,
    format_options,
    measure_names,
    questions_argument,
    scoring_options,
)
from tophit.cli.outputs import Outputs, output_option
from tophit.cli.pages import HTML, details, html_options, say_without_texts
from tophit.cli.screen import show, width, working
from tophit.errors import UsageError

if TYPE_CHECKING:
    from tophit.comparison import Comparison
    from tophit.report.html.detail import Detail
    from tophit.settings import Settings

COMPARING = "How runs are compared"
EXAMPLES = (
    (
        "Is the new run better than the old one",
        "tophit compare questions.jsonl old.jsonl new.jsonl",
    ),
    (
        "Several runs against one, questions of one document taken together",
        "tophit compare questions.jsonl bm25.jsonl dense.jsonl hybrid.jsonl \\\n"
        "    --baseline bm25 --cluster doc",
    ),
    (
        "Every pair, in Markdown",
        "tophit compare qrels.txt a.run b.run c.run --all-pairs --markdown compared.md",
    ),
)


@command("compare", examples=EXAMPLES, tables=[("Measures", measure_names)])
@questions_argument
@argument(
    "runs",
    nargs=-1,
    required=True,
    metavar="RUN RUN...",
    explained="What two or more systems retrieved for the same questions.",
)
@option(
    "--baseline",
    metavar="NAME",
    group=COMPARING,
    help="The run to compare the others with, by its name; without it, the first.",
)
@option("--all-pairs", is_flag=True, group=COMPARING, help="Compare every run with every other.")
@option(
    "--allow-different",
    is_flag=True,
    group=COMPARING,
    help="Compare the common questions where the runs' questions or settings differ.",
)
@option("--seed", type=int, default=0, metavar="N", group=COMPARING,
        help="Of the random tests; the same seed gives the same numbers.")  # fmt: skip
@chunks_option
@documents_option
@scoring_options
@html_options
@output_option("--json", "Everything as JSON, all questions won and lost by id.")
@output_option("--csv", "A row a pair and measure (.csv, .tsv, .jsonl, .parquet).")
@output_option("--markdown", "The tables in Markdown, for a pull request.")
@output_option("--latex", "A table in LaTeX, significant differences marked.")
@format_options
def main(
    questions: str,
    runs: tuple[str, ...],
    *,
    measures: str,
    settings: Settings,
    baseline: str | None,
    all_pairs: bool,
    allow_different: bool,
    seed: int,
    chunks: str | None,
    documents: str | None,
    reading: Reading,
    html_size: float,
    **files: Any,
) -> None:
    """Say which run is better, and whether it is more than chance.

    The runs answer the same questions, so they are compared question by question: McNemar's exact
    test for measures that are 0 or 1, a sign-flip randomisation test for the others, with Holm's
    correction over all comparisons. The questions won and lost are named, and so are those whose
    outcome changed: found to late and so on, with --chunks and --docs all that 'tophit diagnose'
    tells apart. The output says how small a difference this number of questions can show.
    """
    from tophit.comparison import compare
    from tophit.comparison.scores import ALL_PAIRS

    outputs = Outputs.taken_from(files, tables=["--csv"])
    if all_pairs and baseline is not None:
        raise UsageError("--all-pairs and --baseline exclude each other")
    if len(runs) < 2:
        raise UsageError("a comparison needs at least two runs; 'tophit eval' scores one")
    with working("Reading"):
        asked, read = reading.read(questions, runs)
    say_without_texts(HTML in outputs.files, asked, read)
    with working("Comparing"):
        found = compare(
            asked, {run.name: run for run in read}, measures=measures, settings=settings,
            baseline=ALL_PAIRS if all_pairs else baseline, allow_different=allow_different,
            seed=seed, chunks=chunks, documents=documents,
        )  # fmt: skip
    questions_of = partial(
        details, asked, read, measures=measures, settings=found.settings, chunks=chunks,
        documents=documents,
    )  # fmt: skip
    _report(found, outputs, questions_of, html_size)


def _report(
    found: Comparison, outputs: Outputs, questions: Callable[[], list[Detail]], size: float
) -> None:
    from tophit.evaluation.record import as_json, result_record
    from tophit.report.comparison_output import (
        comparison_frame,
        comparison_markdown,
    )
    from tophit.report.comparison_view import comparison_view
    from tophit.report.latex import comparison_latex

    def page() -> str:
        from tophit.report.html.results import result_html

        return result_html(result_record("comparison", found), questions(), size=size)

    outputs.write_text(HTML, page)
    outputs.write_text("--json", lambda: as_json(result_record("comparison", found)))
    outputs.write_text("--markdown", lambda: comparison_markdown(found))
    outputs.write_text("--latex", lambda: comparison_latex(found))
    outputs.write_frame("--csv", lambda: comparison_frame(found))
    if outputs.leave_screen_free:
        show(comparison_view(found, width=width()))
