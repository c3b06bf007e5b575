"""`tophit convert`: from one format to another."""

from __future__ import annotations

from tophit.cli.help import Names, argument, command, option
from tophit.cli.options import FORMAT, READING, format_rows
from tophit.cli.screen import done, listed_warnings

EXAMPLES = (
    ("A TREC run as JSON Lines", "tophit convert bm25.run bm25.jsonl"),
    (
        "Chroma's questions as tophit's own, packed",
        "tophit convert questions_df.csv questions.jsonl.zst",
    ),
    (
        "The run out of a file that holds questions too, to standard output",
        "tophit convert ragas.jsonl - --role run",
    ),
)


@command("convert", examples=EXAMPLES, tables=[("Formats, and what each can hold", format_rows)])
@argument("source", metavar="IN", explained="The file to read.")
@argument("target", metavar="OUT", explained="The file to write; its ending says the format.")
@option(
    "--role",
    type=Names("role", "tophit.formats.definition:ROLES"),
    metavar="NAME",
    group=READING,
    help="What to take from a file that holds several things: NAMES.",
)
@option(
    "--from",
    "source_format",
    type=FORMAT,
    metavar="NAME",
    group=READING,
    help="The format of IN, instead of what its content says.",
)
@option(
    "--to",
    "target_format",
    type=FORMAT,
    metavar="NAME",
    group=READING,
    help="The format of OUT, instead of what its ending says.",
)
@option("--name", metavar="NAME", group=READING, help="What the run is called in OUT.")  # fmt: skip
def main(
    source: str,
    target: str,
    role: str | None,
    source_format: str | None,
    target_format: str | None,
    name: str | None,
) -> None:
    """Convert questions, a run or chunks from one format to another.

    The format of IN is recognised by its content, that of OUT by its ending. What OUT cannot hold
    is counted and named in a warning: nothing is lost silently.
    """
    from tophit.formats import convert

    lost = convert(
        source, target, source_format=source_format, target_format=target_format, role=role,  # type: ignore[arg-type]
        name=name,
    )  # fmt: skip
    listed_warnings(lost)
    done(source, target)
