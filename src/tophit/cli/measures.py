"""`tophit measures`: the table of measures."""

from __future__ import annotations

from typing import Any

from tophit.cli.help import argument, command
from tophit.cli.outputs import Outputs, output_option
from tophit.cli.screen import show

EXAMPLES = (
    ("All measures in a line each", "tophit measures"),
    ("What these two compute, and what they are called elsewhere", "tophit measures ndcg_cut P"),
)


@command("measures", examples=EXAMPLES)
@argument("names", nargs=-1, metavar="[NAME...]", explained="Measures to explain in full.")
@output_option("--json", "The table as JSON.")
@output_option("--markdown", "The documentation's page of measures.")
def main(names: tuple[str, ...], **options: Any) -> None:
    """List the measures, or explain some of them.

    A measure is written NAME, NAME@k or NAME(parameter=value)@k, without regard to case. An alias
    is another name for the same measure.
    """
    from tophit.report.json_output import as_json
    from tophit.report.measures_page import measure_records, measures_page
    from tophit.report.measures_view import explained, listed

    outputs = Outputs.taken_from(options)
    outputs.write_text("--json", lambda: as_json({"measures": measure_records()}))
    outputs.write_text("--markdown", measures_page)
    if not outputs.files:
        show(explained(names) if names else listed())
