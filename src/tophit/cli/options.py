"""Options that several commands share: the same names, words and defaults everywhere."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from tophit.choices import FORMAT_NAMES
from tophit.cli.help import Names, Rows, argument, option
from tophit.cli.inputs import Reading
from tophit.errors import UsageError, unknown
from tophit.settings import Options, Settings

F = TypeVar("F", bound=Callable[..., Any])

SCORES = "What is scored"
MATCHING = "How relevance is decided"
READING = "How files are read"
OUTPUTS = "Outputs"
GATES = "Gates"
SPLITTING = "How documents are split"
RETRIEVAL = "How chunks are retrieved"

# The same words as DEFAULT_MEASURES of the library, which would load an engine; a test compares.
DEFAULT_MEASURES = "Hit Partial MRR"


def together(*decorators: Callable[[Any], Any]) -> Callable[[F], F]:
    """Several decorators as one, the first one listed first in the help."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def gathered(name: str, take: Callable[[dict[str, Any]], Any]) -> Callable[[Any], Any]:
    """Give the command one object, made of the options that `take` takes out of all of them."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def called(*args: Any, **options: Any) -> Any:
            made = take(options)
            return function(*args, **{name: made}, **options)

        return called

    return decorate


def _settings(options: dict[str, Any]) -> Settings:
    return Settings.of(
        None, {name: options.pop(name) for name in Options.__annotations__ if name in options}
    )


# those of the options that are settings, as one `settings`
settled = gathered("settings", _settings)

questions_argument = argument(
    "questions", explained="Questions and what each should find, in any format that is known."
)

measures_option = option(
    "-m",
    "--measures",
    metavar="NAMES",
    default=DEFAULT_MEASURES,
    group=SCORES,
    help="Measures, between blanks or commas, such as 'Hit@4 nDCG@10'.",
)
k_option = option(
    "-k",
    "k",
    type=click.IntRange(min=1),
    default=4,
    metavar="N",
    group=SCORES,
    help="The cutoff of measures written without one: how many chunks the model gets.",
)
cut_option = option(
    "--depth",
    type=click.IntRange(min=1),
    metavar="N",
    group=SCORES,
    help="Cut every ranked list to its first N places before anything is scored.",
)
by_option = option(
    "--by",
    multiple=True,
    metavar="TAG",
    group=SCORES,
    help="Also score slices of the questions: by a tag of theirs, or by document, language, "
    "elements (one or several) or overlap (with their evidence). May be given several times.",
)
window_option = option(
    "--window",
    type=click.IntRange(min=1),
    metavar="TOKENS",
    group=SCORES,
    help="How many tokens the model's window holds, to see what share the chunks take.",
)
min_grade_option = option(
    "--min-grade",
    type=float,
    default=1.0,
    metavar="GRADE",
    group=SCORES,
    help="The lowest grade that counts as relevant.",
)
population_option = option(
    "--population",
    type=Names("population", "tophit.choices:POPULATIONS"),
    default="answerable",
    metavar="NAME",
    group=SCORES,
    help="Which questions a mean is over: NAMES.",
)
level_option = option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    metavar="P",
    group=SCORES,
    help="The level of the confidence intervals.",
)
cluster_option = option(
    "--cluster",
    metavar="FIELD",
    group=SCORES,
    help="Questions with the same value of this tag (or the same document, with 'doc') depend "
    "on each other: the intervals come from these clusters.",
)
population_options = together(min_grade_option, population_option, level_option)
matching_options = together(
    option(
        "--match", type=Names("match", "tophit.choices:MATCHES"), default="auto",
        metavar="NAME", group=MATCHING,
        help="What makes a chunk relevant: NAMES.",
    ),
    option(
        "--match-exact", is_flag=True, group=MATCHING,
        help="Compare texts as they are: no folding of case, quotes, dashes, white space.",
    ),
    option(
        "--match-letters", is_flag=True, group=MATCHING,
        help="Compare letters and digits alone; numbers stay whole, with their signs.",
    ),
    option(
        "--strip-markup", is_flag=True, group=MATCHING,
        help="Drop Markdown and HTML marks on both sides before texts are compared.",
    ),
)  # fmt: skip


def tokenizer_option(*, group: str) -> Callable[[F], F]:
    """The option `--tokenizer`."""
    return option(
        "--tokenizer", default="cl100k_base", metavar="NAME", group=group,
        help="What counts tokens: cl100k_base, or the path of a tokenizer.json.",
    )  # fmt: skip


# the measures, and all settings
scoring_options = together(
    measures_option, k_option, cut_option, population_options, cluster_option, matching_options,
    tokenizer_option(group=MATCHING), settled,
)  # fmt: skip

FORMAT = Names("format", "tophit.choices:FORMAT_NAMES")

format_options = together(
    option(
        "--format", "format_", type=FORMAT, metavar="NAME", group=READING,
        help="The format of every file, instead of what its content says.",
    ),
    option(
        "--questions-format", type=FORMAT, metavar="NAME", group=READING,
        help="The format of QUESTIONS alone.",
    ),
    option(
        "--run-format", type=FORMAT, metavar="NAME", group=READING,
        help="The format of every RUN alone.",
    ),
    gathered("reading", Reading.taken_from),
)  # fmt: skip


class _SplitterType(Names):
    """A name of the table, or PACKAGE.MODULE:NAME."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name as the table has it, or the text as it is."""
        from tophit.imports import is_name

        return value if is_name(str(value)) else super().convert(value, param, ctx)


SPLITTER = _SplitterType("splitter", "tophit.splitting:SPLITTERS")


chunks_option = option(
    "--chunks", metavar="CHUNKS", group=READING,
    help="All chunks of the index: for Ceiling, and to tell cut, unretrieved and absent apart.",
)  # fmt: skip

documents_option = option(
    "--docs", "documents", metavar="DIR", group=READING,
    help="The documents that were split: tells wrong labels from what the splitter lost.",
)  # fmt: skip

splitter_option = option(
    "--splitter-option", "splitter_options", multiple=True, metavar="NAME=VALUE", group=SPLITTING,
    help="An option of the splitter itself (below); may be given several times.",
)  # fmt: skip

depth_option = option(
    "--depth", type=click.IntRange(min=1), default=20, metavar="N", group=RETRIEVAL,
    help="How many chunks are retrieved for each question; more than the model gets, so that "
    "late answers are seen.",
)  # fmt: skip


def named_values(pairs: Sequence[str], defaults: Mapping[str, Any], *, kind: str) -> dict[str, Any]:
    """Options written NAME=VALUE, each of the type of its default.

    Errors: `UsageError` for an unknown name (with the nearest), or a value of another type.

    >>> named_values(["min_chunk_size_chars=100"], {"min_chunk_size_chars": 350}, kind="option")
    {'min_chunk_size_chars': 100}
    """
    values: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise UsageError(f"{pair!r}: expected NAME=VALUE")
        if name not in defaults:
            raise unknown(kind, name, list(defaults))
        values[name] = _typed(text.strip(), defaults[name], written=pair)
    return values


def _typed(text: str, default: Any, *, written: str) -> Any:
    if isinstance(default, bool):
        if text.lower() in ("true", "yes", "1"):
            return True
        if text.lower() in ("false", "no", "0"):
            return False
        raise UsageError(f"{written}: expected true or false, found {text!r}")
    if isinstance(default, int | float):
        try:
            return type(default)(text)
        except ValueError:
            number = "a whole number" if isinstance(default, int) else "a number"
            raise UsageError(f"{written}: expected {number}, found {text!r}") from None
    return text


def table_rows(table: Mapping[str, Any]) -> Rows:
    """What a table of splitters or retrievers says of each, and its own options."""
    rows = []
    for name, entry in table.items():
        own = ", ".join(f"{key}={_shown(value)}" for key, value in entry.options.items())
        rows.append((name, f"{entry.summary}. Options: {own}." if own else f"{entry.summary}."))
    return rows


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, str) and not value.isalnum() else str(value)


def splitter_rows() -> Rows:
    """The splitters, for a help text."""
    from tophit.splitting import SPLITTERS

    return table_rows(SPLITTERS)


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
    return f"{', '.join(FORMAT_NAMES)}. 'tophit convert --help' explains them."


def format_rows() -> Rows:
    """The formats and what can be read (r) and written (w) in each, for a help text."""
    from tophit.formats import FORMATS
    from tophit.formats.definition import ROLES

    rows = []
    for name, entry in FORMATS.items():
        held = [
            f"{role} {'r' if role in entry.reads else ''}{'w' if role in entry.writes else ''}"
            for role in ROLES
            if role in entry.reads | entry.writes
        ]
        rows.append((name, f"{entry.description} ({', '.join(held)})"))
    return rows
