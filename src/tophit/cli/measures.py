"""`tophit measures`: the table of measures."""

from __future__ import annotations

from tophit.cli.help import argument, command, option
from tophit.cli.options import OUTPUTS
from tophit.cli.outputs import write_text
from tophit.cli.screen import show

EXAMPLES = (
    ("All measures in a line each", "tophit measures"),
    ("What these two compute, and what they are called elsewhere", "tophit measures ndcg_cut P"),
)


@command("measures", examples=EXAMPLES)
@argument("names", nargs=-1, metavar="[NAME...]", explained="Measures to explain in full.")
@option("--json", "json_file", metavar="FILE", group=OUTPUTS, help="The table as JSON.")
@option("--markdown", "markdown_file", metavar="FILE", group=OUTPUTS,
        help="The documentation's page of measures.")  # fmt: skip
def main(names: tuple[str, ...], json_file: str | None, markdown_file: str | None) -> None:
    """List the measures, or explain some of them.

    A measure is written NAME, NAME@k or NAME(parameter=value)@k, without regard to case. An alias
    is another name for the same measure.
    """
    from tophit.report.json_output import as_json
    from tophit.report.measures_page import measure_records, measures_page
    from tophit.report.measures_view import explained, listed

    if json_file is not None:
        write_text(json_file, as_json({"measures": measure_records()}))
    if markdown_file is not None:
        write_text(markdown_file, measures_page())
    if json_file is None and markdown_file is None:
        show(explained(names) if names else listed())
