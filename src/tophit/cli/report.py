"""`tophit report`: one page of results that were written before."""

from __future__ import annotations

from tophit.cli.help import argument, command, option
from tophit.cli.inputs import one_standard_input
from tophit.cli.options import OUTPUTS
from tophit.cli.outputs import write_text
from tophit.cli.screen import done

EXAMPLES = (
    (
        "A page to look at, of what a command wrote as JSON",
        "tophit report scores.json -o report.html",
    ),
    (
        "Two runs of the same questions side by side, and what a benchmark found",
        "tophit report bm25.json dense.json out/table.json -o report.html",
    ),
)


@command("report", examples=EXAMPLES)
@argument("results", nargs=-1, required=True, metavar="RESULT...",
          explained="What --json wrote: an evaluation, comparison, diagnosis, curve or check, or "
          "the table.json of a benchmark.")  # fmt: skip
@option("-o", "--output", "output", required=True, metavar="FILE", group=OUTPUTS,
        help="The page.")  # fmt: skip
def main(results: tuple[str, ...], *, output: str) -> None:
    """Write one HTML page of results, to open in a browser and to pass on.

    The page needs nothing but its own file. Evaluations of the same questions stand side by side.
    A result has no texts; to look through the questions too, write the page with the command that
    reads them: 'tophit eval QUESTIONS RUN --html FILE', and so for compare, diagnose and bench.
    """
    from tophit.formats import check_writable

    check_writable(output)
    one_standard_input(results)
    from tophit.report.html.results import read_result, results_html

    write_text(output, results_html([read_result(path) for path in results]))
    done("page", output)
