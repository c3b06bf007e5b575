"""`tophit split`: documents to chunks."""

from __future__ import annotations

from typing import Any

import click

from tophit.cli.help import argument, command, option
from tophit.cli.options import (
    OUTPUTS,
    SPLITTER,
    SPLITTING,
    named_values,
    splitter_option,
    splitter_rows,
    tokenizer_option,
)
from tophit.cli.screen import done, listed_warnings, progress

EXAMPLES = (
    ("Chunks as Spring AI makes them", "tophit split docs/ -o chunks.jsonl"),
    (
        "Smaller ones that end where sentences end",
        "tophit split docs/ -o chunks.jsonl --splitter recursive --size 200 --overlap 20",
    ),
    ("As a table", "tophit split manual.md -o chunks.parquet"),
)


@command("split", examples=EXAMPLES, tables=[("Splitters", splitter_rows)])
@argument("docs", explained="A folder of documents, or one file.")
@option(
    "-o",
    "--output",
    "output",
    required=True,
    metavar="CHUNKS",
    group=OUTPUTS,
    help="Where to write: JSON Lines (.jsonl) or a table (.csv, .tsv, .parquet).",
)
@option(
    "--splitter",
    type=SPLITTER,
    default="spring-ai",
    metavar="NAME",
    group=SPLITTING,
    help="How: NAMES.",
)
@option(
    "--size",
    type=click.IntRange(min=1),
    default=800,
    metavar="TOKENS",
    group=SPLITTING,
    help="How many tokens a chunk has at most.",
)
@option("--overlap", type=click.IntRange(min=0), default=0, metavar="TOKENS", group=SPLITTING,
        help="How many tokens two neighbours share.")  # fmt: skip
@tokenizer_option(group=SPLITTING)
@splitter_option
def main(
    docs: str, output: str, splitter: str, splitter_options: tuple[str, ...], **options: Any
) -> None:
    """Split documents into chunks.

    DOCS is read as text (Markdown and plain text as they are; HTML, PDF and DOCX are converted).
    Every chunk carries its document, its offsets in it and its number of tokens. Files that
    cannot be read are named and skipped.
    """
    from tophit.documents import read_documents
    from tophit.formats import write_chunks
    from tophit.formats.convert import format_of_target
    from tophit.splitting import chunk_warnings, open_splitter, split

    own = named_values(
        splitter_options,
        open_splitter(splitter).options,
        kind=f"option of the splitter {splitter!r}",
    )
    writer = format_of_target(output)
    documents = read_documents(docs)
    with progress("Splitting") as report:
        chunks = split(documents, splitter=splitter, progress=report, **options, **own)
    lost = write_chunks(chunks, output, format=writer.name)
    listed_warnings((*documents.warnings, *chunk_warnings(chunks), *lost))
    done(f"{len(documents):,} documents, {chunks.height:,} chunks", output)
