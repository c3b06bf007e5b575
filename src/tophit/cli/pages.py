"""The HTML page of a command: its two options, and what is said before the work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from tophit.cli.door import say
from tophit.cli.help import option
from tophit.cli.options import OUTPUTS, together
from tophit.cli.outputs import output_option
from tophit.cli.screen import working
from tophit.relations import TEXT

if TYPE_CHECKING:
    from tophit.benching import BenchResult
    from tophit.relations import Questions, Run
    from tophit.report.html.detail import Detail

HTML = "--html"
_SIZE = 5.0  # as tophit.report.html.results.SIZE, which would load an engine; a test compares

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


def details(asked: Questions, runs: Sequence[Run], *given: Any, **options: Any) -> list[Detail]:
    """Every question of these runs, as a page shows them; the rest as `details_of` takes it."""
    from tophit.report.html.detail import details_of

    with working("Making the page"):
        return details_of(asked, {run.name: run for run in runs}, *given, **options)


def page_of_bench(found: BenchResult, questions: Any, *, size: float = _SIZE) -> str:
    """The page of a benchmark, with the questions of its best configurations."""
    from tophit.formats import read_questions
    from tophit.report.html.benched import bench_details
    from tophit.report.html.results import result_html

    with working("Making the page"):
        return result_html(
            found.to_dict(), bench_details(found, read_questions(questions)), size=size
        )
