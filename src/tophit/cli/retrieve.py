"""`tophit retrieve`: chunks and questions to a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tophit.cli.help import argument, command, option
from tophit.cli.inputs import STDIO, one_standard_input
from tophit.cli.options import FORMAT, OUTPUTS, READING, RETRIEVAL, depth_option
from tophit.cli.retrievers import (
    asking_options,
    door_rows,
    latency_text,
    reranker_options,
    retriever_choice,
    retriever_option,
    retriever_rows,
    retriever_values,
)
from tophit.cli.screen import done, listed_warnings, progress, told, working
from tophit.errors import UsageError

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
    (
        "A system that is running, eight questions at once",
        "tophit retrieve questions.jsonl -o run.jsonl --retriever http://localhost/search \\\n"
        "    --retriever-option preset=spring-ai --concurrency 8",
    ),
    (
        "Your own function: shop/search.py, def find(question)",
        "tophit retrieve questions.jsonl -o run.jsonl --retriever shop.search:find",
    ),
)


@command(
    "retrieve",
    examples=EXAMPLES,
    tables=[("Retrievers of CHUNKS", retriever_rows), ("Other retrievers", door_rows)],
)
@argument(
    "inputs",
    nargs=-1,
    required=True,
    metavar="[CHUNKS] QUESTIONS",
    explained="The chunks to search, as 'tophit split' writes them (left out where the retriever "
    "has its own index), and the questions, in any format that is known.",
)
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
@option("--latency", "with_latency", is_flag=True, group=OUTPUTS,
        help="Write how long each question took; no two runs are the same then.")  # fmt: skip
@retriever_choice()
@depth_option
@option("--index", "index_dir", metavar="DIR", group=RETRIEVAL,
        help="Keep the index there, and use it again for the same chunks.")  # fmt: skip
@option("--cache", metavar="FILE", group=RETRIEVAL,
        help="Keep embeddings there, each text once for all commands that name it.")  # fmt: skip
@retriever_option
@reranker_options
@asking_options
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
    inputs: tuple[str, ...],
    output: str,
    output_format_: str | None = None,
    with_latency: bool,
    retriever: str,
    retriever_options: tuple[str, ...],
    chunks_format: str | None,
    questions_format: str | None,
    **options: Any,
) -> None:
    """Retrieve the best chunks for every question.

    The questions are searched as plain words: AND, quotes and colons in a question are text. The
    run holds every chunk with its text, score and place, ready for 'tophit eval'. Answers are kept
    beside the output while others are waited for: after an error, the same command asks only the
    rest.
    """
    from tophit.formats import read_chunks, read_questions, write_run
    from tophit.formats.convert import format_of_target
    from tophit.retrieval import retrieve
    from tophit.retrieval.journal import Kept

    chunks, questions = _told_apart(inputs)
    writer = format_of_target(output, output_format_)
    one_standard_input([each for each in (chunks, questions) if each is not None])
    own = retriever_values(retriever_options, [retriever])
    with working("Reading"):
        index = None if chunks is None else read_chunks(chunks, format=chunks_format)
        asked = read_questions(questions, format=questions_format)
    kept = None if output == STDIO else Kept(Path(output))
    with progress("Retrieving") as report:
        run = retrieve(
            index, asked, retriever=retriever, progress=report, journal=kept, **options, **own
        )
    lost = write_run(
        run if with_latency else replace(run, latency=None), output, format=writer.name
    )
    if kept is not None:
        kept.remove()
    listed_warnings((*asked.warnings, *run.warnings, *lost))
    done(f"{asked.queries.height:,} questions, {run.retrieved.height:,} places", output)
    told(latency_text(run))


def _told_apart(inputs: tuple[str, ...]) -> tuple[str | None, str]:
    if len(inputs) > 2:
        raise UsageError(f"expected CHUNKS and QUESTIONS, or QUESTIONS alone; found {len(inputs)}")
    return (inputs[0], inputs[1]) if len(inputs) == 2 else (None, inputs[0])
