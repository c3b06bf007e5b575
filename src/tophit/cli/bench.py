"""`tophit bench`: split, retrieve and score over a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tophit.cli.help import Section, argument, command, option
from tophit.cli.options import (
    OUTPUTS,
    SCORES,
    SPLITTER,
    SPLITTING,
    cluster_option,
    depth_option,
    format_names,
    k_option,
    matching_options,
    measure_names,
    measures_option,
    named_values,
    population_options,
    questions_argument,
    splitter_option,
    splitter_rows,
    tokenizer_option,
    window_option,
)
from tophit.cli.outputs import Outputs
from tophit.cli.pages import HTML, html_options, page_of_bench
from tophit.cli.retrievers import retriever_choice, retriever_option, retriever_rows
from tophit.cli.screen import note, phases, quoted, show, width

if TYPE_CHECKING:
    from tophit.benching import BenchResult

EXAMPLES = (
    (
        "Which size of chunks finds more answers",
        "tophit bench docs/ questions.jsonl -o out --size 200 --size 400 --size 800",
    ),
    (
        "Two splitters, with and without overlap",
        "tophit bench docs/ questions.jsonl -o out --splitter spring-ai --splitter recursive \\\n"
        "    --size 300 --overlap 0 --overlap 50",
    ),
)
TABLES: list[Section] = [
    ("Splitters", splitter_rows),
    ("Retrievers", retriever_rows),
    ("Measures", measure_names),
    ("Formats of questions", format_names),
]


@command("bench", examples=EXAMPLES, tables=TABLES)
@argument("docs", explained="A folder of documents, or one file.")
@questions_argument
@option(
    "-o",
    "--output",
    "output",
    required=True,
    metavar="DIR",
    group=OUTPUTS,
    help="A folder for each configuration with chunks.jsonl, run.jsonl and result.json, and "
    "table.json and results.csv over all.",
)
@option(
    "--splitter",
    "splitters",
    type=SPLITTER,
    multiple=True,
    default=["spring-ai"],
    metavar="NAME",
    group=SPLITTING,
    help="How, may be several: NAMES.",
)
@option(
    "--size",
    "sizes",
    type=click.IntRange(min=1),
    multiple=True,
    default=[800],
    metavar="TOKENS",
    group=SPLITTING,
    help="How many tokens a chunk has at most; may be several.",
)
@option("--overlap", "overlaps", type=click.IntRange(min=0), multiple=True, default=[0],
        metavar="TOKENS", group=SPLITTING,
        help="How many tokens two neighbours share; may be several.")  # fmt: skip
@html_options
@tokenizer_option(group=SPLITTING)
@splitter_option
@retriever_choice(multiple=True)
@depth_option
@retriever_option
@measures_option
@k_option
@option("--budget", type=click.IntRange(min=0), metavar="TOKENS", group=SCORES,
        help="Also score the first chunks that fit into so many tokens (retrieving deeper where "
        "small chunks need it), and the ceiling of the index; 0: do not.  [default: k times the "
        "largest size]")  # fmt: skip
@window_option
@population_options
@cluster_option
@matching_options
def main(
    docs: str,
    questions: str,
    output: str,
    splitter_options: tuple[str, ...],
    retriever_options: tuple[str, ...],
    budget: int | None,
    window: int | None,
    **options: Any,
) -> None:
    """Find out how to split and retrieve: try every combination.

    DOCS is split with every splitter, size and overlap; every retriever searches the chunks for
    every question; every run is scored. The table has the best configuration first. At a fixed k,
    large chunks win since the model reads more; so the table also has the hits at an equal budget
    of tokens, and the ceiling: the share of questions that these chunks can answer at all.
    """
    from tophit.benching import bench, equal_budget
    from tophit.report.bench_view import bench_view

    outputs, size = Outputs.taken_from(options), options.pop("html_size")
    chosen = _own_options(splitter_options, retriever_options, options)
    tokens = equal_budget(options["sizes"], k=options["k"]) if budget is None else budget
    with phases() as report:
        found = bench(
            docs, questions, output=output, budget=tokens or None, progress=report,
            **options, **chosen,
        )  # fmt: skip
    outputs.write_text(HTML, lambda: page_of_bench(found, questions, size=size))
    show(bench_view(found, level=options["level"], width=width(), window=window))
    note(_next_step(found, questions))


def _own_options(
    splitter_options: tuple[str, ...], retriever_options: tuple[str, ...], options: dict[str, Any]
) -> dict[str, Any]:
    from tophit.retrieval import RETRIEVERS
    from tophit.splitting import SPLITTERS

    splitters = {
        key: value
        for name in options["splitters"]
        for key, value in SPLITTERS[name].options.items()
    }
    retrievers = {
        key: value
        for name in options["retrievers"]
        for key, value in RETRIEVERS[name].options.items()
    }
    return {
        "splitter_options": named_values(
            splitter_options, splitters, kind="option of these splitters"
        ),
        "retriever_options": named_values(
            retriever_options, retrievers, kind="option of these retrievers"
        ),
    }


def _next_step(found: BenchResult, questions: str) -> str:
    """What to type to learn more about the best configuration."""
    best = found.rows[0].folder
    run, chunks = quoted(best / "run.jsonl"), quoted(best / "chunks.jsonl")
    asked = quoted(questions)
    lines = [f"Why were some missed? tophit diagnose {asked} {run} --chunks {chunks}"]
    if len(found.rows) > 1:
        second = quoted(found.rows[1].folder / "run.jsonl")
        lines.append(f"More than noise? tophit compare {asked} {run} {second}")
    return "\n".join(lines)
