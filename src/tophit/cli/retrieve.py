"""`tophit retrieve`: chunks and questions to a run."""

from __future__ import annotations

from tophit.cli.help import argument, command, option
from tophit.cli.inputs import one_standard_input
from tophit.cli.options import (
    FORMAT,
    OUTPUTS,
    READING,
    RETRIEVAL,
    depth_option,
    named_values,
    questions_argument,
    retriever_choice,
    retriever_option,
    retriever_rows,
)
from tophit.cli.screen import done, listed_warnings, progress, working

EXAMPLES = (
    (
        "The 20 best chunks for every question, by BM25",
        "tophit retrieve chunks.jsonl questions.jsonl -o run.jsonl",
    ),
    (
        "German documents, the index kept for the next time, a TREC run",
        "tophit retrieve chunks.jsonl questions.jsonl -o run.trec \\\n"
        "    --retriever-option language=german --index index/",
    ),
)


@command("retrieve", examples=EXAMPLES, tables=[("Retrievers", retriever_rows)])
@argument("chunks", explained="The chunks to search, as 'tophit split' writes them.")
@questions_argument
@option(
    "-o",
    "--output",
    "output",
    required=True,
    metavar="RUN",
    group=OUTPUTS,
    help="Where to write: JSON Lines (.jsonl), a table (.csv, .tsv, .parquet), TREC (.trec).",
)
@option(
    "--output-format",
    "output_format_",
    type=FORMAT,
    metavar="NAME",
    group=OUTPUTS,
    help="The format to write, instead of what the ending says.",
)
@option("--name", metavar="NAME", group=OUTPUTS, help="What the run is called.")  # fmt: skip
@retriever_choice()
@depth_option
@option("--index", "index_dir", metavar="DIR", group=RETRIEVAL,
        help="Keep the index there, and use it again for the same chunks.")  # fmt: skip
@retriever_option
@option(
    "--chunks-format",
    type=FORMAT,
    metavar="NAME",
    group=READING,
    help="The format of CHUNKS, instead of what its content says.",
)
@option("--questions-format", type=FORMAT, metavar="NAME", group=READING,
        help="The format of QUESTIONS, instead of what its content says.")  # fmt: skip
def main(
    *,
    chunks: str,
    questions: str,
    output: str,
    output_format_: str | None = None,
    name: str | None,
    retriever: str,
    depth: int,
    index_dir: str | None,
    retriever_options: tuple[str, ...],
    chunks_format: str | None,
    questions_format: str | None,
) -> None:
    """Retrieve the best chunks for every question.

    The questions are searched as plain words: AND, quotes and colons in a question are text. The
    run holds every chunk with its text, score and place, ready for 'tophit eval'.
    """
    from tophit.formats import read_chunks, read_questions, write_run
    from tophit.formats.convert import format_of_target
    from tophit.retrieval import RETRIEVERS, retrieve

    writer = format_of_target(output, output_format_)
    one_standard_input([chunks, questions])
    own = named_values(
        retriever_options,
        RETRIEVERS[retriever].options,
        kind=f"option of the retriever {retriever!r}",
    )
    with working("Reading"):
        index = read_chunks(chunks, format=chunks_format)
        asked = read_questions(questions, format=questions_format)
    with progress("Retrieving") as report:
        run = retrieve(
            index, asked, retriever=retriever, depth=depth, index_dir=index_dir, name=name,
            progress=report, **own,
        )  # fmt: skip
    lost = write_run(run, output, format=writer.name)
    listed_warnings((*asked.warnings, *lost))
    done(f"{asked.queries.height:,} questions, {run.retrieved.height:,} places", output)
