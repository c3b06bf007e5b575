"""The HTML page of a command: its two options, and what is said before the work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from tophit.cli.door import say
from tophit.cli.help import option
from tophit.cli.options import OUTPUTS, together
from tophit.cli.outputs import output_option
from tophit.relations import TEXT

if TYPE_CHECKING:
    from tophit.evaluation.result import Result
    from tophit.relations import Questions, Run
    from tophit.report.html.detail import Detail

HTML = "--html"
_SIZE = 5.0  # as tophit.report.html.evaluated.SIZE, which would load an engine; a test compares

SUMMARY = "One page with curves and every question, to open in a browser."
html_size_option = option(
    "--html-size", type=click.FloatRange(min=0), default=_SIZE, metavar="MB", group=OUTPUTS,
    help="How large the page may be; texts beyond that are left out; 0: none is.",
)  # fmt: skip
html_options = together(output_option(HTML, SUMMARY), html_size_option)


def say_without_texts(wanted: bool, asked: Questions, runs: Iterable[Run]) -> None:
    """Say that a page will show ids alone, where a page is wanted and nothing has a text."""
    if not wanted:
        return
    frames = [asked.judgments, *(run.retrieved for run in runs)]
    if not any(TEXT in frame.columns and frame[TEXT].count() for frame in frames):
        say(
            "note",
            "neither the questions nor the runs have texts, so the page shows ids alone; log the "
            "text of every retrieved chunk to read them there",
            style="yellow",
        )


def details(
    asked: Questions,
    runs: Sequence[Run],
    results: Sequence[Result],
    *,
    chunks: Any = None,
    documents: Any = None,
) -> list[Detail]:
    """Every question of these runs, as a page shows them."""
    from tophit.report.html.detail import details_of

    named = {run.name: run for run in runs}
    return details_of(asked, named, results, chunks=chunks, documents=documents)
