"""Options that several commands share: the same names, words and defaults everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from tophit.cli.help import Names, Rows, argument, option

F = TypeVar("F", bound=Callable[..., Any])

SCORES = "What is scored"
MATCHING = "How relevance is decided"
READING = "How files are read"
OUTPUTS = "Outputs"
GATES = "Gates"

# The same words as DEFAULT_MEASURES of the library, which would load an engine; a test compares.
DEFAULT_MEASURES = "Hit Partial MRR"


def together(*decorators: Callable[[Any], Any]) -> Callable[[F], F]:
    """Several decorators as one, the first one listed first in the help."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


questions_argument = argument(
    "questions", explained="Questions and what each should find, in any format that is known."
)

scoring_options = together(
    option(
        "-m", "--measures", metavar="NAMES", default=DEFAULT_MEASURES, group=SCORES,
        help="Measures, between blanks or commas, such as 'Hit@4 nDCG@10'.",
    ),
    option(
        "-k", "k", type=click.IntRange(min=1), default=4, metavar="N", group=SCORES,
        help="The cutoff of measures written without one: how many chunks the model gets.",
    ),
    option(
        "--depth", type=click.IntRange(min=1), metavar="N", group=SCORES,
        help="Cut every ranked list to its first N places before anything is scored.",
    ),
    option(
        "--min-grade", type=float, default=1.0, metavar="GRADE", group=SCORES,
        help="The lowest grade that counts as relevant.",
    ),
    option(
        "--population", type=Names("population", "tophit.scoring:POPULATIONS"),
        default="answerable", metavar="NAME", group=SCORES,
        help="Which questions a mean is over: NAMES.",
    ),
    option(
        "--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95,
        metavar="P", group=SCORES, help="The level of the confidence intervals.",
    ),
)  # fmt: skip

matching_options = together(
    option(
        "--match", type=Names("match", "tophit.matching:MATCHES"), default="auto",
        metavar="NAME", group=MATCHING,
        help="What makes a chunk relevant: NAMES.",
    ),
    option(
        "--match-exact", is_flag=True, group=MATCHING,
        help="Compare texts as they are: no folding of case, quotes, dashes, white space.",
    ),
    option(
        "--strip-markup", is_flag=True, group=MATCHING,
        help="Drop Markdown and HTML marks on both sides before texts are compared.",
    ),
)  # fmt: skip

_FORMAT = Names("format", "tophit.formats:FORMATS")

format_options = together(
    option(
        "--format", "format_", type=_FORMAT, metavar="NAME", group=READING,
        help="The format of every file, instead of what its content says.",
    ),
    option(
        "--questions-format", type=_FORMAT, metavar="NAME", group=READING,
        help="The format of QUESTIONS alone.",
    ),
    option(
        "--run-format", type=_FORMAT, metavar="NAME", group=READING,
        help="The format of every RUN alone.",
    ),
)  # fmt: skip


def measure_names() -> str:
    """The measures with their aliases, for a help text."""
    from tophit.measures import MEASURES

    named = [
        f"{entry.signature} ({', '.join(entry.aliases)})" if entry.aliases else entry.signature
        for entry in MEASURES.values()
    ]
    return f"{', '.join(named)}. 'tophit measures' explains them."


def format_names() -> str:
    """The formats, for a help text."""
    from tophit.formats import FORMATS

    return f"{', '.join(FORMATS)}. 'tophit convert --help' explains them."


def format_rows() -> Rows:
    """The formats and what each may hold, for a help text."""
    from tophit.formats import FORMATS

    return [
        (name, f"{entry.description} ({', '.join(sorted(entry.reads))})")
        for name, entry in FORMATS.items()
    ]
